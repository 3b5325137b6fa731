"""Outputs with boxes whose lines are replaced by invented ones, for :mod:`benchmarks.witness`.

An engine that invents need not add lines: it may write other words in the place of a line that it
cannot read, and give them the boxes of that line. So each line of a part of an output's lines is
replaced by words of another document, which fill the line's box, on its ink.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from benchmarks._witness_pages import ENGINES, ReadPage, document_clusters, documents
from ohr.quality.witness import SCORE, ReadBoxes, Seen, judge_page
from ohr.statistics.intervals import mean_interval
from ohr.statistics.numbers import prose_interval
from ohr.types import Word

PARTS = (0.0, 0.1, 1 / 3)
"""Share of the lines that are replaced; 0 is an honest output."""
FEWEST_WORDS = 4
"""Words of a line that may be replaced: of fewer, no passage of a text says that it is invented."""


def lines_of(words: Sequence[Word]) -> list[list[Word]]:
    """An engine's words in lines, in its order: a line ends where a word does not go on with it."""
    lines: list[list[Word]] = []
    for word in words:
        if lines:
            last = lines[-1][-1].box
            overlap = min(last[3], word.box[3]) - max(last[1], word.box[1])
            height = min(last[3] - last[1], word.box[3] - word.box[1])
            if 2 * overlap > height and word.box[0] >= last[0]:
                lines[-1].append(word)
                continue
        lines.append([word])
    return lines


def invented_line(line: Sequence[Word], source: Sequence[str], rng: random.Random) -> list[Word]:
    """Words of ``source`` of about the length of a line, in its box and with its confidences."""
    length = len(" ".join(word.text for word in line))
    start = rng.randrange(max(1, len(source) - length))
    texts = [source[start]]
    for text in source[start + 1 :]:
        if len(" ".join([*texts, text])) > length:
            break
        texts.append(text)
    left, right = line[0].box[0], line[-1].box[2]
    top, bottom = min(w.box[1] for w in line), max(w.box[3] for w in line)
    ends = np.cumsum([len(text) + 1 for text in texts])
    places = np.concatenate([[0], ends]) / ends[-1] * (right - left) + left
    return [
        Word(text, line[0].confidence, (round(a), top, max(round(a) + 1, round(b)), bottom))
        for text, a, b in zip(texts, places[:-1], places[1:], strict=True)
    ]


def replace_lines(
    words: Sequence[Word], source: Sequence[str], part: float, rng: random.Random
) -> tuple[Seen, int]:
    """An output with a part of its lines replaced, at least one unless the part is 0, and their
    number. A larger part replaces the lines of a smaller one too, if ``rng`` is in the same state.
    """
    lines = lines_of(words)
    long = [place for place, line in enumerate(lines) if len(line) >= FEWEST_WORDS]
    order = rng.sample(long, len(long))
    count = min(len(long), max(1, round(part * len(lines)))) if part else 0
    for place in order[:count]:
        lines[place] = invented_line(lines[place], source, random.Random(rng.random() + place))
    text = "\n".join(" ".join(word.text for word in line) for line in lines)
    return Seen(text, tuple(word for line in lines for word in line)), count


def replaced_rows(
    page: ReadPage, sources: Mapping[str, Sequence[str]], image: np.ndarray, read: ReadBoxes
) -> Iterator[dict[str, object]]:
    """One row per engine and part: what the judge says with the output's boxes."""
    for engine in ENGINES:
        [other] = [name for name in ENGINES if name != engine]
        witness = Seen(page.readings[other].text, page.readings[other].words)
        for part in PARTS:
            rng = random.Random(f"{page.page.name} {page.condition} {engine}")
            doc_id = rng.choice([d for d in sorted(sources) if d != page.page.ref.doc_id])
            own = page.readings[engine].words
            seen, count = replace_lines(own, sources[doc_id], part, rng)
            judged = judge_page(seen, [witness], lambda: image, read)
            yield {
                "kind": page.page.kind,
                "page": page.page.name,
                "condition": page.condition,
                "engine": engine,
                "part": part,
                "lines": len(lines_of(own)),
                "replaced": count,
                "score": judged.score,
                "is_judged": judged.is_judged,
                "is_judged_invented": judged.score >= SCORE,
                "invented_words": judged.invented_words,
                "passage": judged.suspects[0].text[:200] if judged.suspects else "",
            }


def report_replaced(rows: pd.DataFrame) -> None:
    """Print how often replaced lines are found, and how often honest outputs are accused."""
    is_clean = rows["condition"] == "clean"
    for name, part in {"clean": rows[is_clean], "severe": rows[~is_clean]}.items():
        for share, some in part.groupby("part"):
            named = "honest" if not share else f"{share:.0%} of the lines replaced"
            if share:  # a page may have no line that is long enough
                some = some[some["replaced"] > 0]
            accused = some["is_judged_invented"].to_numpy(float)
            if not len(some):
                continue
            each = mean_interval(accused, document_clusters(some), bounded=True)
            print(
                f"{name}, {named}: {int(accused.sum())} of {len(accused)} outputs of "
                f"{len(set(documents(some)))} documents called invented, {accused.mean():.3f} "
                f"({prose_interval(each.low, each.high)}); not judged "
                f"{1 - some['is_judged'].mean():.2f}; lines replaced {some['replaced'].sum()}"
            )
