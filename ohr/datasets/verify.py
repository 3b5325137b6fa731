"""Verifies the questions of any dataset by the paper's criteria that need no model.

OHR-Bench filtered 15,317 candidate questions down to 8,498 with heuristics, language models and
people (section II.5). The heuristics are here, as named checks with their own counts. So are
criteria that the paper left to models but that the text decides: whether evidence is on its page,
whether the answer follows from it, and whether questions contradict each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ohr.collection import Dataset
from ohr.datasets import guessing, locating, wording
from ohr.datasets.guessing import FOLDS
from ohr.datasets.locating import Piece, SearchablePage
from ohr.markup.strip import strip_markup
from ohr.metrics import default
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.types import EVIDENCE_SOURCES, PageRef, Question

FORMS = ("String", "Numeric", "Yes/No", "List")
"""Answer formats of OHR-Bench's second release."""

_FORM_NAMES = {form.lower(): form for form in FORMS} | {"short answer": "String"}
QUESTION_WORDS = (4, 60)
ANSWER_WORDS = (1, 40)
"""Fewest and most words that a question or an answer may have."""
_PRONOUNS_ALLOWED = 1
GUESSABLE_FROM = 200
"""Least number of yes/no questions for the check of their words: the share of correct fair guesses
then has a standard error of .035."""
GUESSED = 0.05
"""How much better guesses from the words may be than always giving the more frequent answer."""
_SHOWN = 90


@dataclass(frozen=True, slots=True)
class Finding:
    """A question that fails a check. ``detail`` quotes the dataset without escaping."""

    check: str
    qid: str
    detail: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check: the number of questions that it applied to, and those that fail."""

    name: str
    about: str
    judged: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """The results of every check, in the order of :data:`CHECKS`."""

    questions: int
    results: tuple[CheckResult, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all checks."""
        return tuple(finding for result in self.results for finding in result.findings)

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def failing(self) -> int:
        """Number of questions with at least one finding of their own."""
        return len({finding.qid for finding in self.findings if finding.qid})


def form_name(question: Question) -> str:
    """The second release's name of a question's answer form; an unknown form is unchanged."""
    return named_form(question.answer_form)


def named_form(answer_form: str) -> str:
    """The second release's name of an answer form as a dataset states it."""
    return _FORM_NAMES.get(answer_form.strip().lower(), answer_form)


class Case:
    """A question and its stated pages, with properties that several checks need."""

    def __init__(self, question: Question, pages: Mapping[PageRef, SearchablePage]) -> None:
        self.question = question
        self.refs = [ref for ref in question.evidence_pages if ref in pages]
        self.pages = [pages[ref] for ref in self.refs]
        self.evidence = question.evidence_text
        self.form = form_name(question)
        self.multi_page = len(question.evidence_pages) > 1

    @cached_property
    def verbatim(self) -> list[Piece] | None:
        """The evidence as verbatim pieces of its pages; None if it is not there."""
        return locating.verbatim_pieces(self.evidence, self.pages)

    @cached_property
    def pieces(self) -> list[Piece] | None:
        """The evidence as pieces of its pages without white space; None if it is not there."""
        return locating.squeezed_pieces(self.evidence, self.pages)

    @cached_property
    def words(self) -> str:
        """The words of the evidence, without and with mark-up, with single spaces around each."""
        plain = default.tokens(strip_markup(self.evidence))
        return f" {' '.join(plain)} {' '.join(default.tokens(self.evidence))} "


Judge = Callable[[Case], str | None]
"""Checks a question: returns the problem as a line, '' if there is none, None if the check does not
apply."""


def _verbatim(case: Case) -> str | None:
    if not case.evidence.strip():
        return "no evidence"
    if not case.pages:
        return "none of its pages exists"
    return "" if case.verbatim is not None else f"not to the letter: {case.evidence}"


def _spaced(case: Case) -> str | None:
    if not case.evidence.strip() or not case.pages:
        return None
    return "" if case.pieces is not None else f"not even without white space: {case.evidence}"


def _located(case: Case) -> str | None:
    if not case.evidence.strip() or not case.pages:
        return None
    if case.pieces is not None:
        return ""
    share = default.lcs("\n".join(page.text for page in case.pages), case.evidence)
    is_there = share > R_NOISE_THRESHOLD
    return "" if is_there else f"{share:.2f} of its words are there in order: {case.evidence}"


def _every_page(case: Case) -> str | None:
    if not case.multi_page or case.pieces is None:
        return None
    runs = [piece.text for piece in case.pieces]
    for ref, page in zip(case.refs, case.pages, strict=True):
        if not any(run in page.squeezed for run in runs):
            where = f"page {ref.page_no + 1} of {ref.doc_id}, page_idx {ref.page_no}"
            return f"no evidence stands on {where}"
    return ""


def _supported(case: Case) -> str | None:
    question = case.question
    if case.form == "Yes/No" or question.task.strip().lower() == "reasoning":
        return None
    if any(_follows(answer, case) for answer in question.answers):
        return ""
    return f"not in the evidence: {question.answers[0]}"


def _follows(answer: str, case: Case) -> bool:
    bare = locating.squeeze(answer).strip("$.").casefold()
    if bare and bare in locating.squeeze(case.evidence).casefold():
        return True
    if case.form == "Numeric" and (numbers := wording.numbers(answer)):
        plain = strip_markup(case.evidence)
        return set(numbers) <= {*wording.numbers(case.evidence), *wording.numbers(plain)}
    parts = wording.list_items(answer) if case.form == "List" else [answer]
    tokens = [default.tokens(strip_markup(part)) for part in parts]
    return bool(tokens) and all(f" {' '.join(words)} " in case.words for words in tokens if words)


def _form(case: Case) -> str | None:
    answer = case.question.answers[0] if case.question.answers else ""
    match case.form:
        case "Numeric":
            return "" if wording.is_number(answer) else f"not one number: {answer}"
        case "Yes/No":
            return "" if wording.verdict(answer) else f"neither yes nor no: {answer}"
        case "List":
            return "" if len(wording.list_items(answer)) > 1 else f"not several items: {answer}"
        case "String":
            verdict = wording.verdict(answer)
            return f"a Yes/No answer: {answer}" if verdict else ""
    return f"unknown answer form: {case.question.answer_form}"


def _context(case: Case) -> str | None:
    return wording.context_phrase(case.question.text)


def _pronouns(case: Case) -> str | None:
    pronouns = wording.pronouns(case.question.text)
    if len(pronouns) <= _PRONOUNS_ALLOWED:
        return ""
    return f"{', '.join(pronouns)}: {case.question.text}"


def _entity(case: Case) -> str | None:
    return "" if wording.has_entity(case.question.text) else case.question.text


def _environment(case: Case) -> str | None:
    source = case.question.evidence_source
    if source not in EVIDENCE_SOURCES:
        return f"unknown evidence source: {source}"
    if source == "formula":
        return "" if locating.has_math(case.evidence) else f"no formula in: {case.evidence}"
    if source == "text":
        return None
    if source == "reading_order":
        apart = sum(bool(line.strip()) for line in case.evidence.split("\n"))
        return "" if apart > 1 else f"one paragraph only: {case.evidence}"
    if case.pieces is None:
        rows = locating.looks_like_rows(case.evidence)
        return None if rows else f"not found, and no cells in: {case.evidence}"
    charts = any(locating.overlaps(case.pages[p.page].charts, p) for p in case.pieces)
    if source == "chart":
        return "" if charts else f"outside any <chart>: {case.evidence}"
    if any(locating.overlaps(case.pages[p.page].tables, p) for p in case.pieces):
        return "in a <chart>, not a table" if charts else ""
    piped = case.evidence.count("|") > 1 and locating.looks_like_rows(case.evidence)
    return "" if piped else f"outside any table: {case.evidence}"


def _pages_stated(case: Case) -> str | None:
    """Check that a multi-page task has several pages, and that these share an entity's name."""
    if "multi" in case.question.task.lower() and not case.multi_page:
        return "a multi-page question of one page"
    # The halves of a paragraph that continues on the next page need not repeat a name.
    whole = case.question.evidence_source == "reading_order"
    if not case.multi_page or whole or case.verbatim is None:
        return None
    shared: set[str] | None = None
    for page in case.pages:
        runs = (piece.text for piece in case.verbatim if piece.text in page.text)
        names = {name for run in runs for name in wording.names(run)}
        shared = names if shared is None else shared & names
    return "" if shared else "the evidence of its pages shares no name"


def _lengths(case: Case) -> str | None:
    question_words = wording.word_count(case.question.text)
    if not QUESTION_WORDS[0] <= question_words <= QUESTION_WORDS[1]:
        return f"a question of {question_words} words: {case.question.text}"
    answer_words = max((wording.word_count(answer) for answer in case.question.answers), default=0)
    if not ANSWER_WORDS[0] <= answer_words <= ANSWER_WORDS[1]:
        return f"an answer of {answer_words} words: {case.question.text}"
    return ""


@dataclass(frozen=True, slots=True)
class Check:
    """A check of single questions; ``about`` is the meaning of a finding."""

    name: str
    about: str
    judge: Judge


CHECKS = (
    Check("evidence_verbatim", "evidence is not on its page to the letter", _verbatim),
    Check("evidence_spacing", "evidence is not on its page, white space aside", _spaced),
    Check("evidence_located", "evidence is not on its page: word LCS 0.95 or less", _located),
    Check("evidence_every_page", "a stated page holds none of the evidence", _every_page),
    Check("evidence_source", "evidence is not of the source that is stated", _environment),
    Check("answer_supported", "answer does not occur in the evidence", _supported),
    Check("answer_form", "answer is not of its form", _form),
    Check("context_independent", "wording refers to 'the document'", _context),
    Check("pronouns", "more than one ambiguous pronoun", _pronouns),
    Check("entity_named", "no name, number or formula says what is asked about", _entity),
    Check("multi_page", "pages share no entity, or there is one page only", _pages_stated),
    Check("lengths", "question or answer is too short or too long", _lengths),
)


def verify(dataset: Dataset) -> Verification:
    """Run every check on every question; no data can make it fail."""
    pages = {ref: SearchablePage(page.text) for ref, page in dataset.pages.items()}
    judged = dict.fromkeys((check.name for check in CHECKS), 0)
    findings: dict[str, list[Finding]] = {check.name: [] for check in CHECKS}
    for question in dataset.questions:
        case = Case(question, pages)
        for check in CHECKS:
            verdict = check.judge(case)
            judged[check.name] += verdict is not None
            if verdict:
                findings[check.name].append(Finding(check.name, question.qid, verdict))
    results = [
        CheckResult(c.name, c.about, judged[c.name], tuple(findings[c.name])) for c in CHECKS
    ]
    results += [_contradictions(dataset.questions), _balance(dataset.questions)]
    results += [_wording(dataset.questions), _loaded(dataset)]
    return Verification(len(dataset.questions), tuple(results))


def _contradictions(questions: Iterable[Question]) -> CheckResult:
    by_text: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_text[" ".join(default.tokens(question.text))].append(question)
    findings = [
        Finding("unique_question", again.qid, f"{_how(first, again)} {first.qid}: {again.text}")
        for first, *rest in by_text.values()
        for again in rest
    ]
    about = "the same question as another one"
    return CheckResult("unique_question", about, sum(map(len, by_text.values())), tuple(findings))


def _how(first: Question, again: Question) -> str:
    if first.doc_id != again.doc_id:
        return "another document gives another answer than" if _differ(first, again) else "repeats"
    return "contradicts" if _differ(first, again) else "repeats"


def _differ(first: Question, again: Question) -> bool:
    first_answers, other_answers = (
        {" ".join(default.tokens(answer)) for answer in question.answers}
        for question in (first, again)
    )
    return not first_answers & other_answers


def _balance(questions: Iterable[Question]) -> CheckResult:
    """Check that yes and no are about equally frequent, within two standard deviations."""
    verdicts = [wording.verdict(q.answers[0]) for q in questions if q.answers]
    yes, no = verdicts.count("yes"), verdicts.count("no")
    line = f"{yes} yes, {no} no"
    uneven = abs(yes - no) > 2 * (yes + no) ** 0.5
    findings = (Finding("yes_no_balance", "", line),) if uneven else ()
    return CheckResult("yes_no_balance", "yes and no are not in equal parts", yes + no, findings)


def _wording(questions: Iterable[Question]) -> CheckResult:
    """Check whether a classifier can guess yes or no from the question alone."""
    answered = [(q, wording.verdict(q.answers[0])) for q in questions if q.answers]
    judged = [(q, verdict == "yes") for q, verdict in answered if verdict]
    about = f"yes and no can be guessed from the question (needs {GUESSABLE_FROM} questions)"
    if len(judged) < GUESSABLE_FROM or len({q.doc_id for q, _ in judged}) < FOLDS:
        return CheckResult("yes_no_wording", about, 0, ())
    right, majority = guessing.guessed(
        [q.text for q, _ in judged], [yes for _, yes in judged], [q.doc_id for q, _ in judged]
    )
    line = f"{right:.3f} of the answers are guessed from the words, {majority:.3f} by one answer"
    findings = (Finding("yes_no_wording", "", line),) if right > majority + GUESSED else ()
    return CheckResult("yes_no_wording", about, len(judged), findings)


def _loaded(dataset: Dataset) -> CheckResult:
    findings = tuple(
        Finding("loaded", "", f"{kind}: {line}")
        for kind, lines in sorted(dataset.report.problems.items())
        for line in lines
    )
    about = "could not be read, or only with a fix"
    return CheckResult("loaded", about, len(dataset.questions) + len(findings), findings)


def one_line(detail: str, width: int = _SHOWN) -> str:
    """Shorten a detail to one printable line of at most ``width`` characters."""
    flat = " ".join(_printable(detail).split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
