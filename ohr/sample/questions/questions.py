"""Which of the questions that the documents could answer are asked."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from ohr.errors import ConfigError
from ohr.sample.markdown import page_text
from ohr.sample.questions.asks import FORMS, REASONING, UNDERSTANDING, Ask
from ohr.sample.questions.joined import Evidence, Placed, joined_questions
from ohr.sample.template import WrittenPage
from ohr.types import EVIDENCE_SOURCES, PageRef

SOURCE_SHARES = {
    "text": 0.409,
    "table": 0.274,
    "formula": 0.147,
    "chart": 0.089,
    "reading_order": 0.080,
}
"""Share of each evidence source: the paper's counts (table 1) over their own sum."""

FORM_SHARES = {"String": 0.505, "Numeric": 0.364, "Yes/No": 0.072, "List": 0.059}
"""Share of each answer format, likewise."""

MULTI_PAGE_SHARE = 0.099
REASONING_SHARE = 0.281


@dataclass(frozen=True, slots=True)
class Answerable:
    """A document of which questions are asked."""

    doc_id: str
    pages: tuple[WrittenPage, ...]


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with its gold fields."""

    question: str
    answer: str
    form: str
    source: str
    task: str
    evidence: tuple[Evidence, ...]


def ask(group: Sequence[Answerable], count: int, rng: np.random.Generator) -> list[GoldQuestion]:
    """Choose ``count`` questions of some documents, in the order of their pages.

    Sources, formats and tasks come as near to the paper's shares as the pages allow; the
    questions are spread over the pages. Every yes/no question is asked of a true and of a false
    statement in the same words, so the words do not tell; no two questions
    have the same text. Raises ConfigError if the pages cannot answer so many.
    """
    placed = [item for document in group for item in place(document)]
    refs = [PageRef(doc.doc_id, number) for doc in group for number in range(len(doc.pages))]
    asks = [item for item in placed if isinstance(item.content, Ask)]
    choice = _Choice([*asks, *_thinned(list(joined_questions(placed)), rng)], refs, count, rng)
    chosen = choice.choose()
    if choice.taken < count:
        raise ConfigError(
            f"{len(refs)} sample pages answer at most {choice.taken} questions, "
            f"not {count}: lower n_questions or raise n_pages"
        )
    order = {ref: number for number, ref in enumerate(refs)}
    chosen.sort(key=lambda item: order[item.evidence[0].ref])
    return list(_answered(chosen))


def place(document: Answerable) -> Iterator[Placed]:
    """A document's candidates with the page of each passage: its own, or the one before.

    A passage that stands on neither, since the layout has taken it apart, is left out.
    """
    texts = [page_text(page.blocks) for page in document.pages]
    for number, page in enumerate(document.pages):
        for candidate in page.candidates:
            evidence = [
                Evidence(PageRef(document.doc_id, near), passage)
                for passage in candidate.evidence
                for near in _page_of(passage, texts, number)
            ]
            if evidence and len(evidence) == len(candidate.evidence):
                yield Placed(candidate.content, candidate.source, tuple(evidence))


def _page_of(passage: str, texts: Sequence[str], number: int) -> list[int]:
    near = (number, number - 1) if number else (number,)
    return [page for page in near if passage in texts[page]][:1]


def _thinned(joined: list[Placed], rng: np.random.Generator) -> list[Placed]:
    """Pairs are many times more than what is asked of them: a few of each pair of pages."""
    few: list[Placed] = []
    seen: Counter[tuple[object, ...]] = Counter()
    for i in rng.permutation(len(joined)):
        item = joined[int(i)]
        assert isinstance(item.content, Ask)
        kind = (item.pages, item.content.form, item.content.task)
        seen[kind] += 1
        if seen[kind] <= 3:
            few.append(item)
    return few


def _is_yes_no(item: Placed) -> bool:
    return _ask_of(item).form == FORMS["Y"]


def _ask_of(item: Placed) -> Ask:
    assert isinstance(item.content, Ask)
    return item.content


class _Choice:
    """What is chosen so far, and what is wanted."""

    def __init__(
        self,
        asks: Sequence[Placed],
        refs: Sequence[PageRef],
        count: int,
        rng: np.random.Generator,
    ) -> None:
        self.count = count
        self.left: dict[tuple[str, bool], list[Placed]] = defaultdict(list)
        for i in rng.permutation(len(asks)):
            item = asks[int(i)]
            self.left[item.source, len(item.pages) > 1].append(item)
        shares = [SOURCE_SHARES[source] for source in EVIDENCE_SOURCES]
        self.sources = dict(zip(EVIDENCE_SOURCES, _parts(shares, count, rng), strict=True))
        names = [form for form in FORM_SHARES if form != FORMS["Y"]]
        yes_no = 2 * round(count * FORM_SHARES[FORMS["Y"]] / 2 + rng.uniform(-0.5, 0.5))
        yes_no = max(0, min(yes_no, count - count % 2))
        rest = _parts([FORM_SHARES[name] for name in names], count - yes_no, rng)
        self.forms = dict(zip(names, rest, strict=True)) | {FORMS["Y"]: yes_no}
        self.planned = dict(self.forms)
        self.multi, _ = _parts([MULTI_PAGE_SHARE, 1 - MULTI_PAGE_SHARE], count, rng)
        self.reasoning, _ = _parts([REASONING_SHARE, 1 - REASONING_SHARE], count, rng)
        self.load = dict.fromkeys(refs, 0)
        self.chosen: list[Placed] = []
        self.taken = 0
        self.texts: set[str] = set()
        self.evidence: Counter[tuple[Evidence, ...]] = Counter()

    def choose(self) -> list[Placed]:
        """As many as are wanted, or as there are; a yes/no question stands for its two."""
        # The rare sources first: what they lack, text makes up for.
        sources = sorted(self.sources, key=lambda name: SOURCE_SHARES[name])
        for source in sources:
            for _ in range(round(MULTI_PAGE_SHARE * self.sources[source])):
                self._take(source, several=True)
        for source in reversed(sources):
            while self.multi > 0 < self.sources[source] and self._take(source, several=True):
                pass
        for source in sources:
            while self.sources[source] > 0 and self._take(source, several=False):
                pass
        for several in (False, True):
            while self._take(None, several=several):
                pass
        return self.chosen

    def _take(self, source: str | None, *, several: bool) -> bool:
        """Take the question that is wanted most, of one page or of several; False if none is."""
        if self.taken >= self.count:
            return False
        names = EVIDENCE_SOURCES if source is None else (source,)
        fitting = chain.from_iterable(self.left[name, several] for name in names)
        best = min(
            (
                (cost, number, item)
                for number, item in enumerate(fitting)
                if (cost := self._cost(item)) < math.inf
            ),
            default=None,
        )
        if best is not None:
            self._add(best[2])
        return best is not None

    def _cost(self, item: Placed) -> float:
        """How little a question is wanted now; infinite if it may not be asked at all."""
        content = _ask_of(item)
        if {content.question, content.denied} & self.texts:
            return math.inf
        if _is_yes_no(item) and min(self.forms[content.form], self.count - self.taken) < 2:
            return math.inf
        demand = self.forms[content.form] / max(1, self.planned[content.form])
        # Reasoning is behind when it is a larger part of what is left to ask than of the whole.
        behind = self.reasoning > REASONING_SHARE * (self.count - self.taken)
        wrong_task = (content.task == REASONING) != behind
        crowded = max(self.load[passage.ref] for passage in item.evidence)
        return (
            self.evidence[item.evidence] + 0.6 * crowded + 0.8 * wrong_task - 2 * max(0.0, demand)
        )

    def _add(self, item: Placed) -> None:
        content = _ask_of(item)
        pages, times = item.pages, 1 + _is_yes_no(item)
        self.left[item.source, len(pages) > 1].remove(item)
        self.chosen.append(item)
        self.taken += times
        self.texts |= {content.question, content.denied} - {""}
        self.evidence[item.evidence] += times
        self.forms[content.form] -= times
        self.sources[item.source] -= times
        self.reasoning -= times * (content.task == REASONING)
        self.multi -= times * (len(pages) > 1)
        for ref in pages:
            self.load[ref] += times


def _parts(shares: Sequence[float], whole: int, rng: np.random.Generator) -> list[int]:
    """Whole numbers near the shares that add up to ``whole``; over many groups, the shares."""
    total = sum(shares)
    ends = np.cumsum([share / total for share in shares]) * whole
    start = float(rng.uniform())
    cuts = [int(np.floor(end + start)) for end in (0.0, *ends)]
    cuts[-1] = whole
    return [after - before for before, after in pairwise(cuts)]


def _answered(chosen: Sequence[Placed]) -> Iterator[GoldQuestion]:
    """The questions with their answers; a yes/no question twice, in turn yes and no first."""
    denied_first = False
    for item in chosen:
        content = _ask_of(item)
        both = [(content.question, content.answer)]
        if _is_yes_no(item):
            both.insert(0 if denied_first else 1, (content.denied, "No"))
            denied_first = not denied_first
        for question, answer in both:
            task = content.task or UNDERSTANDING
            yield GoldQuestion(question, answer, content.form, item.source, task, item.evidence)
