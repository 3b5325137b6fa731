"""An exam made of documents: by rules, by a model, checked, reviewed, written and priced."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from ohr import registry
from ohr.display.terminal import show
from ohr.errors import ConfigError, OhrError
from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.plugins.chat import Chat
from ohr.questions import QuestionSet, verdicts
from ohr.questions.files import Grounds, drawn_pages, read_grounds
from ohr.questions.making import Candidates, candidates_of, examine
from ohr.questions.model import Model
from ohr.questions.storage import write_exam
from ohr.questions.verifying import verified
from ohr.questions.writing import combined, joined, written
from ohr.questions.yields import exam_lines, yields_table
from ohr.store.artefacts import ArtefactStore
from ohr.store.atomic import write_text
from ohr.study.config import DatasetConfig, StudyConfig, parse_plugin
from ohr.study.run import run_study
from ohr.types import PageRef


@dataclass(frozen=True)
class Wishes:
    """What is asked for."""

    readings: tuple[str, ...] = ()
    pages: int | None = None
    most: int | None = None
    seed: int = 0
    writer: str = ""
    checker: str = ""
    verdicts: Path | None = None
    review: bool = False
    cache: Path = Path(".ohr-cache")


def write_questions(data: Path, out: Path, wishes: Wishes) -> int:
    """Make, check and write an exam, and print its yields. Raises OhrError."""
    if wishes.review and wishes.readings:
        raise ConfigError(
            "--review shows the ground truth or text layers: there are none of readings"
        )
    said = None if wishes.verdicts is None else verdicts.read_verdicts(wishes.verdicts)
    grounds = read_grounds(data, wishes.readings)
    pages = drawn_pages(grounds, wishes.pages, wishes.seed)
    if not pages:
        raise OhrError(f"no page of {data} has text to ask about{_why(grounds)}")
    writer = _model("--writer", wishes.writer, wishes.cache) if wishes.writer else None
    checker = _model("--checker", wishes.checker, wishes.cache) if wishes.checker else None
    refs = [page.ref for page in pages]
    found = candidates_of(refs, grounds.texts, wishes.seed)
    if writer is not None:
        found = _with_model(found, writer, refs, grounds.texts, wishes)
    exam = examine(found, wishes.seed, None if checker else wishes.most)
    if checker is not None:
        exam = _checked(exam, checker, wishes.most)
    if said is not None:
        exam = verdicts.apply(exam, said)
    path = write_exam(out, exam, of_folder=grounds.of_folder)
    report = exam_lines(exam, grounds.origin, len(grounds.left_out), grounds.report)
    costs = [
        f"{name}: {model.cost.line()}"
        for name, model in (("writer", writer), ("checker", checker))
        if model is not None
    ]
    write_text(out / "summary.txt", "\n".join([*report, *costs]) + "\n")
    show(yields_table(exam))
    for line in (*report, *costs):
        print(plain(line))
    print(f"questions: {path}")
    if not exam.accepted:
        print("error: no question passed every check", file=sys.stderr)
        return 1
    if wishes.review:
        for line in _to_review(data, path, out, grounds, wishes):
            print(line)
    return 0


def _to_review(data: Path, path: Path, out: Path, grounds: Grounds, wishes: Wishes) -> list[str]:
    """A report with every question, its page and its evidence; how to go on."""
    from ohr.report.build import build_report
    from ohr.report.options import ReportOptions

    dataset = DatasetConfig(
        kind="folder" if grounds.of_folder else "ohrbench", path=data, questions=path
    )
    config = StudyConfig(dataset=dataset, stages=("ocr", "retrieval"), cache=wishes.cache)
    run = run_study(config, out / "review" / "run", progress=Progress(), overwrite=True)
    folder = out / "review" / "report"
    built = build_report([run], folder, ReportOptions("random:all", "none", title="Made questions"))
    return [
        *built.lines(folder),
        "save verdicts.json there, and give this command again with --verdicts verdicts.json",
    ]


def _model(option: str, said: str, cache: Path) -> Model:
    spec = parse_plugin(option.removeprefix("--"), said)
    reader = registry.create("reader", spec)
    if not isinstance(reader, Chat):
        raise ConfigError(
            f"{option}: reader {spec.label!r} holds no conversation: name a language model"
        )
    return Model(reader, ArtefactStore(cache).journal("exam", reader.identity()))


def _with_model(
    found: Candidates,
    writer: Model,
    refs: list[PageRef],
    texts: Mapping[PageRef, str],
    wishes: Wishes,
) -> Candidates:
    """The candidates of rules, those that the model writes beside them."""
    by_page = {ref: list(own) for ref, own in found.by_page.items()}
    with Progress(verb="writing", unit="pages") as progress:
        for number, ref in enumerate(refs, start=1):
            by_page[ref] += written(writer, ref, texts[ref], wishes.seed)
            progress("questions", number, len(refs))
    single = examine(Candidates(by_page, found.corpus), wishes.seed, None)
    most = len(refs)
    several = chain(
        joined(writer, refs, texts, most), combined(writer, single.accepted, texts, most)
    )
    for one in several:
        by_page.setdefault(one.ref, []).append(one)
    return Candidates(by_page, found.corpus)


def _checked(exam: QuestionSet, checker: Model, most: int | None) -> QuestionSet:
    """The exam after the checks with a model, cut to so many afterwards."""
    exam = verified(exam, checker)
    return (
        exam
        if most is None
        else replace(exam, accepted=exam.accepted[:most], spare=exam.accepted[most:])
    )


def _why(grounds: Grounds) -> str:
    whys = list(dict.fromkeys(grounds.left_out.values()))
    return f": {'; '.join(whys[:3])}; name two --readings of them" if whys else ""
