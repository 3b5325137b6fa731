"""The receipt of a finished command, so that the same command only prints its results again.

``RUN/.receipt.json`` holds the digest of everything that decides the results, the digest of each
file of the folder, and the printed text. If all of them are unchanged, the command prints the text
again. In every other case the receipt is ignored, and the study runs.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

from ohr.errors import StoreError
from ohr.ocr.shards import shard_of_process
from ohr.store.atomic import write_text
from ohr.store.identity import digest, file_digest
from ohr.study.config import StudyConfig
from ohr.study.faults import RECEIPT


class _Copied:
    """A stream that also copies the text written to it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.copy = io.StringIO()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self.copy.write(text)
        return self._stream.write(text)


@dataclass(frozen=True)
class Printed:
    """The text that a command printed, without its progress."""

    notes: list[str]
    """Lines on standard error, before the results."""
    text: str
    """All text on standard output."""
    failures: list[str]
    """Lines on standard error, at the end."""

    def print(self) -> None:
        """Print it."""
        for line in self.notes:
            print(line, file=sys.stderr)
        print(self.text, end="")
        for line in self.failures:
            print(line, file=sys.stderr)


class Receipts:
    """The receipt of one command that writes a folder of results."""

    def __init__(
        self, config: StudyConfig, out: Path, command: str, options: Mapping[str, object]
    ) -> None:
        self._config, self._out = config, out
        self._call = [command, str(out), {name: str(value) for name, value in options.items()}]
        self._made_from = self._digest() if self._is_reusable() else None

    def printed(self) -> Printed | None:
        """The text of the earlier, equal command; None without one, or if a file has changed."""
        if self._made_from is None:
            return None
        try:
            receipt = json.loads((self._out / RECEIPT).read_text("utf-8"))
            if receipt["made_from"] != self._made_from:
                return None
            files = receipt["files"]
            if any(file_digest(self._out / name) != files[name] for name in files):
                return None
            return Printed(*(receipt[part] for part in ("notes", "text", "failures")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    @contextmanager
    def captured_text(self) -> Iterator[io.StringIO]:
        """Collect the text that is printed on standard output inside the context."""
        stream = sys.stdout
        copied = _Copied(stream)
        sys.stdout = cast(TextIO, copied)
        try:
            yield copied.copy
        finally:
            sys.stdout = stream

    def write(self, printed: Printed, manifest: Mapping[str, Any]) -> None:
        """Write the receipt, unless the inputs or the run's folder have changed meanwhile.

        Data can be edited before the study reads them, and another command may have written to the
        folder since. ``manifest`` is this run's.
        """
        if self._made_from is None or self._made_from != self._digest():
            return
        try:
            files = _files(self._out)
            stored_manifest = json.loads((self._out / "manifest.json").read_text("utf-8"))
        except (OSError, ValueError):
            return
        if stored_manifest != json.loads(json.dumps(manifest)):
            return
        receipt = {"made_from": self._made_from, "files": files, **vars(printed)}
        with suppress(StoreError):  # without a receipt the study only runs again
            text = json.dumps(receipt, indent=1, ensure_ascii=False)
            write_text(self._out / RECEIPT, text + "\n")

    def _is_reusable(self) -> bool:
        """Whether results can be reused: not with retry_failed, and a shard prints none."""
        return not self._config.retry_failed and shard_of_process() is None

    def _digest(self) -> str | None:
        from ohr.study.inputs import study_digest

        study = study_digest(self._config, [self._out, self._config.cache])
        return None if study is None else digest([study, self._call, _console()])


def _files(folder: Path) -> dict[str, str]:
    """Relative path -> digest of each file of a folder, without hidden files and folders."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    return {
        name: file_digest(path)
        for name, path in names.items()
        if not any(part.startswith(".") for part in Path(name).parts)
    }


def _console() -> Sequence[object]:
    """What decides the look of tables: the encoding, and on a terminal its width and colours."""
    from rich.console import Console

    console = Console()
    width = console.width if console.is_terminal else None
    return [console.is_terminal, width, console.color_system, console.encoding]
