"""Makes a question set of documents, by rules or a model, with checks, review and files."""

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
from ohr.questions.files import OPTION, Grounds, drawn_pages, read_grounds
from ohr.questions.making import Candidates, candidates_of, examine
from ohr.questions.model import Model
from ohr.questions.storage import write_question_set
from ohr.questions.verifying import verify
from ohr.questions.writing import combine_questions, join_pages, write_candidates
from ohr.questions.yields import question_set_lines, yields_table
from ohr.store.artefacts import ArtefactStore
from ohr.store.atomic import write_text
from ohr.study.config import DatasetConfig, StudyConfig, parse_plugin
from ohr.study.run import run_study
from ohr.types import PageRef


@dataclass(frozen=True)
class QuestionOptions:
    """Options of a question set."""

    knowledge_bases: tuple[str, ...] = ()
    pages: int | None = None
    most: int | None = None
    seed: int = 0
    writer: str = ""
    checker: str = ""
    verdicts: Path | None = None
    review: bool = False
    cache: Path = Path(".ohr-cache")


def write_questions(data: Path, out: Path, options: QuestionOptions) -> int:
    """Make, check and write a question set, and print its yields; returns the exit code.

    Raises OhrError.
    """
    if options.review and options.knowledge_bases:
        raise ConfigError(
            f"--review shows the ground truth or text layers, which {OPTION} does not have"
        )
    reviewed = None if options.verdicts is None else verdicts.read_verdicts(options.verdicts)
    with Progress(verb="checking", brief=True) as checking, checking.doing("reading the documents"):
        grounds = read_grounds(data, options.knowledge_bases, checking)
    pages = drawn_pages(grounds, options.pages, options.seed)
    if not pages:
        raise OhrError(f"no page of {data} has text to ask about{_why(grounds)}")
    writer = _model("--writer", options.writer, options.cache) if options.writer else None
    checker = _model("--checker", options.checker, options.cache) if options.checker else None
    refs = [page.ref for page in pages]
    candidates = candidates_of(refs, grounds.texts, options.seed)
    if writer is not None:
        candidates = _add_model_candidates(candidates, writer, refs, grounds.texts, options)
    question_set = examine(candidates, options.seed, None if checker else options.most)
    if checker is not None:
        question_set = _checked(question_set, checker, options.most)
    if reviewed is not None:
        question_set = verdicts.apply(question_set, reviewed)
    path = write_question_set(out, question_set, of_folder=grounds.of_folder)
    report = question_set_lines(question_set, grounds.origin, len(grounds.left_out), grounds.report)
    costs = [
        f"{name}: {model.cost.line()}"
        for name, model in (("writer", writer), ("checker", checker))
        if model is not None
    ]
    write_text(out / "summary.txt", "\n".join([*report, *costs]) + "\n")
    show(yields_table(question_set))
    for line in (*report, *costs):
        print(plain(line))
    print(f"questions: {path}")
    if not question_set.accepted:
        print("error: no question passed every check", file=sys.stderr)
        return 1
    if options.review:
        for line in _write_review(data, path, out, grounds, options):
            print(line)
    return 0


def _write_review(
    data: Path, path: Path, out: Path, grounds: Grounds, options: QuestionOptions
) -> list[str]:
    """Write a report with every question, its page and its evidence; lines on what to do next."""
    from ohr.report.build import build_report
    from ohr.report.options import ReportOptions

    dataset = DatasetConfig(
        kind="folder" if grounds.of_folder else "ohrbench", path=data, questions=path
    )
    config = StudyConfig(dataset=dataset, stages=("ocr", "retrieval"), cache=options.cache)
    run = run_study(config, out / "review" / "run", progress=Progress(), overwrite=True)
    folder = out / "review" / "report"
    built = build_report([run], folder, ReportOptions("random:all", "none", title="Made questions"))
    return [
        *built.lines(folder),
        "save verdicts.json there, and run this command again with --verdicts verdicts.json",
    ]


def _model(option: str, text: str, cache: Path) -> Model:
    spec = parse_plugin(option.removeprefix("--"), text)
    reader = registry.create("reader", spec)
    if not isinstance(reader, Chat):
        raise ConfigError(f"{option}: reader {spec.label!r} is not a language model: name one")
    return Model(reader, ArtefactStore(cache).journal("exam", reader.identity()))


def _add_model_candidates(
    candidates: Candidates,
    writer: Model,
    refs: list[PageRef],
    texts: Mapping[PageRef, str],
    options: QuestionOptions,
) -> Candidates:
    """The candidates of rules, with those that the model writes."""
    by_page = {ref: list(own) for ref, own in candidates.by_page.items()}
    with Progress(verb="writing", unit="pages") as progress:
        for number, ref in enumerate(refs, start=1):
            by_page[ref] += write_candidates(writer, ref, texts[ref], options.seed)
            progress("questions", number, len(refs))
    single = examine(Candidates(by_page, candidates.corpus), options.seed, None)
    most = len(refs)
    several = chain(
        join_pages(writer, refs, texts, most),
        combine_questions(writer, single.accepted, texts, most),
    )
    for candidate in several:
        by_page.setdefault(candidate.ref, []).append(candidate)
    return Candidates(by_page, candidates.corpus)


def _checked(question_set: QuestionSet, checker: Model, most: int | None) -> QuestionSet:
    """The question set after the checks with a model, then cut to ``most`` questions."""
    question_set = verify(question_set, checker)
    return (
        question_set
        if most is None
        else replace(
            question_set, accepted=question_set.accepted[:most], spare=question_set.accepted[most:]
        )
    )


def _why(grounds: Grounds) -> str:
    whys = list(dict.fromkeys(grounds.left_out.values()))
    return f": {'; '.join(whys[:3])}; name two knowledge bases with {OPTION}" if whys else ""
