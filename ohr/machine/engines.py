"""Lists the engines of this machine, and checks them on one page."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from ohr import registry
from ohr.display.terminal import empty_table, show
from ohr.documents.images import load_image
from ohr.errors import ConfigError, EngineError, MissingDependencyError, OhrError
from ohr.files.safe_text import plain
from ohr.metrics.default import edit_distance
from ohr.ocr.progress import Progress
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec
from ohr.types import Document, Outcome
from ohr.workers import Limits, WorkerPool

LIMITS = Limits(cpu_s=600, wall_s=1800)
_LONGEST_VERSION = 44


@dataclass(frozen=True)
class Listed:
    """An engine, and whether this machine can run it."""

    spec: PluginSpec
    state: str
    """``yes``, ``no``, or ``needs parameters``."""
    version: str = ""
    reason: str = ""
    """Why it cannot be used, and the command or parameter that fixes it."""
    remark: str = ""
    """How it runs here, if that is not as usual."""
    cls: type[OcrBackend] | None = None
    accepts: tuple[str, ...] = ()
    install: str = ""
    """The command that installs it."""
    languages: tuple[str, ...] = ()

    @property
    def installed(self) -> bool:
        return self.state == "yes"


def list_engines(specs: Sequence[PluginSpec], check: bool) -> int:
    """Print a table of engines; with ``check``, let the installed ones read a page.

    Returns 1 if one of them could not, else 0. Raises OhrError.
    """
    listed = [engine for spec in specs if (engine := examine(spec)) is not None]
    show(engines_table(listed))
    for engine in listed:
        if engine.reason:
            print(plain(how_to_fix(engine)))
        if engine.remark:
            print(plain(f"{engine.spec.label}: {engine.remark}"))
    if not check:
        return 0
    print()
    checked = [engine for engine in listed if engine.installed]
    if not checked:
        raise OhrError("none of these engines is installed, so none can be checked")
    with tempfile.TemporaryDirectory() as folder:
        outcomes = check_engines(checked, Path(folder))
    show(checks_table(checked, outcomes))
    return int(any(outcome.value is None for outcome in outcomes))


def how_to_fix(engine: Listed) -> str:
    """Why an engine cannot be used, and how to fix that."""
    named = engine.reason.startswith((f"{engine.spec.label}: ", f"engine {engine.spec.label!r}"))
    line = engine.reason if named else f"{engine.spec.label}: {engine.reason}"
    if not engine.install or engine.install in line:
        return line
    return f"{line}; install it with: {engine.install}"


def examine(spec: PluginSpec) -> Listed | None:
    """The state of an engine; None for one that reads no pages. Raises UnknownPluginError."""
    try:
        cls = registry.plugin_class("engine", spec.name)
    except MissingDependencyError as error:
        return Listed(spec, "no", reason=str(error))
    if not issubclass(cls, OcrBackend):
        return None
    state, reason, install, languages = "no", "", cls.install, cls.languages
    try:
        engine = registry.ocr_engine(spec)
        install, languages = engine.install_command(), engine.reads()
        version, remark = engine.engine_version(), engine.describe()
    except MissingDependencyError as error:
        reason = str(error)
    except ConfigError as error:
        state, reason = "needs parameters", str(error)
    except Exception as error:  # a broken plug-in must not end the list
        reason = f"{type(error).__name__}: {error}"
    else:
        accepts = tuple(sorted(engine.accepts))
        return Listed(spec, "yes", version, "", remark, cls, accepts, install, languages)
    return Listed(spec, state, reason=reason, cls=cls, install=install, languages=languages)


def usable_engines() -> list[PluginSpec]:
    """Engines of page images that are installed and need neither weights nor a server.

    Raises ConfigError if there is none.
    """
    listed = [examine(PluginSpec(name=name)) for name in registry.known("engine")]
    usable = [
        engine.spec
        for engine in listed
        if engine is not None and engine.cls is not None and engine.cls.self_contained
        if engine.installed and "image" in engine.accepts
    ]
    if not usable:
        raise ConfigError(
            "no installed OCR engine reads page images: ohr list engines shows how to install one"
        )
    return usable


def engines_table(engines: Sequence[Listed]) -> Table:
    """One row per engine: whether it is installed, what it reads and returns, and its licence."""
    table = empty_table(
        ["engine", "installed", "version", "reads", "returns", "languages", "licence"]
    )
    for engine in engines:
        version = engine.version
        if len(version) > _LONGEST_VERSION:
            version = version[: _LONGEST_VERSION - 1] + "…"
        table.add_row(
            *(
                Text(plain(part))
                for part in (
                    engine.spec.label,
                    engine.state,
                    version,
                    ", ".join(engine.accepts),
                    engine.cls.returns if engine.cls else "",
                    ", ".join(engine.languages),
                    engine.cls.license if engine.cls else "",
                )
            )
        )
    return table


def check_engines(engines: Sequence[Listed], folder: Path) -> list[Outcome[dict[str, Any]]]:
    """The outcome of each engine on a generated page: text, edit distance and seconds."""
    document = _generated(folder)
    page = document.pages[0]
    assert page.image is not None  # the sample has an image of every page
    assert document.source is not None
    tasks = [
        CheckTask(engine.spec, page.image, document.source, page.ref.page_no) for engine in engines
    ]
    outcomes: dict[int, Outcome[dict[str, Any]]] = {}
    with (
        Progress(verb="checking") as progress,
        WorkerPool[dict[str, Any]](read_twice, workers=1, limits=LIMITS, max_tasks=1) as pool,
    ):
        for done, (index, outcome) in enumerate(pool.run(tasks), start=1):
            if outcome.value is not None:
                outcome.value["edit_distance"] = edit_distance(outcome.value["text"], page.text)
            outcomes[index] = outcome
            progress("engines", done, len(tasks))
    return [outcomes[index] for index in range(len(tasks))]


def _generated(folder: Path) -> Document:
    params = {"cache": folder, "n_pages": 1, "n_questions": 1}
    sample = registry.create("dataset", PluginSpec(name="sample", params=params))
    return next(iter(sample.load().documents.values()))


def checks_table(engines: Sequence[Listed], outcomes: Sequence[Outcome[dict[str, Any]]]) -> Table:
    """One row per engine that read a page."""
    table = empty_table(["engine"], ["edit distance", "first page, s", "next page, s"])
    table.add_column("")
    for engine, outcome in zip(engines, outcomes, strict=True):
        measured = outcome.value
        figures = (
            [f"{measured[name]:.{n}f}" for name, n in
             (("edit_distance", 3), ("first_s", 2), ("next_s", 2))]
            if measured
            else ["-"] * 3
        )  # fmt: skip
        note = "" if measured else f"{outcome.status}: {outcome.detail}"
        table.add_row(Text(plain(engine.spec.label)), *figures, Text(plain(note)))
    return table


@dataclass(frozen=True)
class CheckTask:
    """An engine, and the page for it to read."""

    spec: PluginSpec
    image: Path
    pdf: Path
    page_no: int


def read_twice(task: CheckTask) -> dict[str, Any]:
    """Read the page twice: the text, seconds with loading, and seconds without.

    Raises EngineError, in a worker process.
    """
    engine = registry.ocr_engine(task.spec)
    by_image = "image" in engine.accepts
    source: Any = [load_image(task.image)] if by_image else task.pdf
    seconds = []
    text: str | None = None
    for _ in range(2):
        started = time.perf_counter()
        outcomes = list(engine.transcribe(source, [task.page_no]))
        seconds.append(time.perf_counter() - started)
        if not outcomes or outcomes[0][1].value is None:
            reason = outcomes[0][1].detail if outcomes else "it returned nothing"
            raise EngineError(f"engine {task.spec.label}: {reason}")
        text = outcomes[0][1].value
    return {"text": text, "first_s": seconds[0], "next_s": seconds[1]}
