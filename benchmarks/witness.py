"""How well a second engine and the ink find planted inventions, and how often they accuse wrongly.

    python -m benchmarks.witness DATA --cache FOLDER [--part 1.0] [--out witness.csv]

DATA has ``financebench_pdfs``, ``own`` and ``receipts``; pages are also generated. Tesseract and
RapidOCR read each page clean and severely distorted, and judge each other. Sentences of other
documents, of 3 to 40 words, are planted between two lines of an output. The judge gets no boxes of
the output that it judges, as of an engine that writes text alone. The threshold is chosen on some
documents and used on others. What was read is kept in FOLDER: the command can be killed and given
again. ``--replaced`` instead replaces lines of outputs with boxes, on their ink
(:mod:`benchmarks._witness_replaced`). ``--part`` measures a part of the pages of each document,
``--pages`` so many in all, and ``--only-kept`` those that were read before.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks._tables import table
from benchmarks._witness_pages import (
    ENGINES,
    ReadPage,
    document_clusters,
    documents,
    read_pages,
    source_pages,
)
from benchmarks._witness_replaced import replaced_rows, report_replaced
from ohr.metrics import supporting_text, word_keys
from ohr.quality import page_ink, places, support, witness
from ohr.quality.page_ink import Box
from ohr.quality.support import Support, Vocabulary
from ohr.quality.witness import SCORE, ReadBoxes, Seen, judge_page, read_boxes
from ohr.statistics.intervals import Interval, jackknife_interval, mean_interval
from ohr.statistics.numbers import prose_interval
from ohr.store.atomic import write_text
from ohr.store.identity import file_digest

LENGTHS = (3, 5, 10, 18, 40)
MOST_CLEAN, MOST_DISTORTED = 0.01, 0.03
"""Share of honest pages that a threshold may accuse."""
RANKS = {"clean": 0, "semantic": 1}
JUDGES = (witness, support, page_ink, places, supporting_text, word_keys)


class KeptLines:
    """Lines that are read again, kept in a file for each page image."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        self._count = len(self._lines)

    def read(self, page: np.ndarray, boxes: Sequence[tuple[Box, str]]) -> list[Mapping[str, str]]:
        """What the recognisers read in boxes."""
        keys = [",".join(map(str, box)) for box, _ in boxes]
        new = {key: each for key, each in zip(keys, boxes, strict=True) if key not in self._lines}
        if new:
            readings = read_boxes(page, list(new.values()))
            self._lines.update(zip(new, map(dict, readings), strict=True))
        return [self._lines[key] for key in keys]

    def save(self) -> None:
        """Write the file, if a line is new."""
        if len(self._lines) > self._count:
            write_text(self._path, json.dumps(self._lines, ensure_ascii=False))


def sentences(pages: Sequence[ReadPage]) -> dict[str, list[str]]:
    """The words of each document's clean pages, as they were read, from which is planted."""
    words: dict[str, list[str]] = {}
    for page in pages:
        if page.condition == "clean" and page.page.kind != "receipt":
            read = page.readings["rapidocr"].text.split()
            words.setdefault(page.page.ref.doc_id, []).extend(read)
    return words


def planted(text: str, words: Sequence[str], count: int, rng: random.Random) -> str:
    """A page's text with ``count`` successive words of another document as a line of its own."""
    start = rng.randrange(max(1, len(words) - count))
    lines = text.splitlines() or [""]
    lines.insert(rng.randrange(len(lines) + 1), " ".join(words[start : start + count]))
    return "\n".join(lines)


def measure(
    pages: Sequence[ReadPage], cache: Path, *, replaced: bool = False
) -> Iterator[dict[str, object]]:
    """One row per page image, judged engine and number of planted words (0: honest), or part of
    the lines that are ``replaced``.

    Rows are kept as long as the code that judges is the same.
    """
    sources = sentences(pages)
    code = "".join(file_digest(Path(str(each.__file__))) for each in JUDGES)
    # Clean pages first, since they take less time.
    for page in sorted(pages, key=lambda each: RANKS.get(each.condition, len(RANKS))):
        folder = "replaced" if replaced else "rows"
        kept_file = cache / folder / f"{page.page.name}-{page.condition}.json"
        kept_rows = json.loads(kept_file.read_text("utf-8")) if kept_file.is_file() else {}
        if kept_rows.get("code") != code:
            lines = KeptLines(cache / "lines" / f"{page.page.name}-{page.condition}.json")
            image = page.image()
            rows = (replaced_rows if replaced else _rows)(page, sources, image, lines.read)
            kept_rows = {"code": code, "rows": list(rows)}
            lines.save()
            write_text(kept_file, json.dumps(kept_rows))
        yield from kept_rows["rows"]


def _rows(
    page: ReadPage, sources: Mapping[str, Sequence[str]], image: np.ndarray, read: ReadBoxes
) -> Iterator[dict[str, object]]:
    for engine in ENGINES:
        [other] = [name for name in ENGINES if name != engine]
        second = Seen(page.readings[other].text, page.readings[other].words)
        for length in (0, *LENGTHS):
            rng = random.Random(f"{page.page.name} {page.condition} {engine} {length}")
            text = page.readings[engine].text
            if length:
                doc_id = rng.choice([d for d in sorted(sources) if d != page.page.ref.doc_id])
                text = planted(text, sources[doc_id], length, rng)
            by_text = Support(text, [Vocabulary.of_text(second.text)]).passages
            judged = judge_page(Seen(text), [second], lambda: image, read)
            yield {
                "is_reported": page.page.is_reported,
                "kind": page.page.kind,
                "page": page.page.name,
                "condition": page.condition,
                "engine": engine,
                "planted": length,
                "share": judged.share,
                "text_score": max((each.score for each in by_text), default=0.0),
                "score": judged.score,
                "is_judged": judged.is_judged,
                "passage": judged.suspects[0].text[:200] if judged.suspects else "",
            }


def auroc(honest: np.ndarray, invented: np.ndarray) -> float:
    """Chance that a page with planted words scores higher than an honest one; ties count half."""
    if not len(honest) or not len(invented):
        return float("nan")
    first, second = invented[:, None], honest[None, :]
    return float(((first > second) + 0.5 * (first == second)).mean())


def threshold(rows: pd.DataFrame) -> float:
    """The least score that accuses at most the allowed share of honest pages."""
    honest = rows[rows["planted"] == 0]
    least = 0.0
    for is_clean, most in ((True, MOST_CLEAN), (False, MOST_DISTORTED)):
        scores = np.sort(honest[(honest["condition"] == "clean") == is_clean]["score"])[::-1]
        allowed = int(most * len(scores))
        least = max(least, float(scores[allowed]) if allowed < len(scores) else 0.0)
    return least + 1e-9


def auroc_interval(rows: pd.DataFrame, column: str, length: int) -> Interval:
    """The interval of :func:`auroc` over documents; none if an end is at 1, or for few documents.

    By leaving out one document after another; at most 1.
    """
    some = rows[rows["planted"].isin([0, length])]
    names = documents(some)

    def value(part: pd.DataFrame) -> float:
        honest = part["planted"] == 0
        return auroc(part[honest][column].to_numpy(float), part[~honest][column].to_numpy(float))

    clusters = document_clusters(some)
    left_out = np.array([value(some[names != name]) for name in dict.fromkeys(names)])
    whole = jackknife_interval(value(some), left_out, clusters)
    return Interval(max(0.0, whole.low), min(1.0, whole.high), whole.unit)


def report_fresh(rows: pd.DataFrame) -> None:
    """Print, with intervals over documents, how the thresholds do on pages that chose neither.

    The threshold in use is checked on all rows. A new one is chosen by :func:`threshold` on the
    rows that are not reported, and checked on the others.
    """
    choice, rest = rows[~rows["is_reported"]], rows[rows["is_reported"]]
    new = threshold(choice)
    for name, part in (("choice", choice), ("check", rest)):
        kinds = part.drop_duplicates("page").groupby("kind").size().to_dict()
        images = len(part.drop_duplicates(["page", "condition"]))
        print(f"{name}: {len(set(documents(part)))} documents, {images} images, pages: {kinds}")
    print(f"threshold in use: {SCORE:g}; by the same rule on the choice pages: {new:.1f}")
    for title, part, score in (
        ("all pages, threshold in use", rows, SCORE),
        ("check pages, threshold in use", rest, SCORE),
        ("check pages, new threshold", rest, new),
    ):
        _print_shares(title, part, score)
    for column, title in (("score", "AUROC with the ink"), ("text_score", "AUROC by text alone")):
        for name, part in _condition_groups(rows).items():
            cells = [
                f"{value:.3f} ({prose_interval(each.low, each.high)})"
                for length, value in zip(LENGTHS, _aurocs(part, column), strict=True)
                for each in [auroc_interval(part, column, length)]
            ]
            print(f"{title}, {name}, {LENGTHS} words: {'; '.join(cells)}")
    _print_accused(rows, SCORE)


def _condition_groups(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    is_clean = rows["condition"] == "clean"
    return {"clean": rows[is_clean], "severe": rows[~is_clean]}


def _print_shares(title: str, rows: pd.DataFrame, score: float) -> None:
    groups = dict(_condition_groups(rows))
    for kind in sorted(set(rows["kind"])):
        parts = _condition_groups(rows[rows["kind"] == kind])
        groups |= {f"{kind}, {name}": part for name, part in parts.items()}
    for name, part in _condition_groups(rows).items():
        groups |= {f"{name}, {each}": part[part["engine"] == each] for each in ENGINES}
    for name, part in groups.items():
        honest = part[part["planted"] == 0]
        if honest.empty:
            continue
        accused = (honest["score"] >= score).to_numpy(float)
        each = mean_interval(accused, document_clusters(honest), bounded=True)
        shares = [(part[part["planted"] == n]["score"] >= score).mean() for n in LENGTHS]
        print(
            f"{title} ({score:.1f}), {name}: {int(accused.sum())} of {len(accused)} outputs of "
            f"{len(set(documents(honest)))} documents accused, {accused.mean():.3f} "
            f"({prose_interval(each.low, each.high)}); not judged "
            f"{1 - honest['is_judged'].mean():.2f}; {LENGTHS} planted words seen: "
            + ", ".join(f"{share:.2f}" for share in shares)
        )


def report(rows: pd.DataFrame) -> None:
    """Print the tables of the documents that calibrated nothing."""
    calibration, rest = rows[~rows["is_reported"]], rows[rows["is_reported"]]
    chosen = threshold(calibration)
    print(f"threshold by the calibration set: {chosen:.1f}; used: {SCORE:g}")
    for name, part in (("calibration", calibration), ("reported", rest)):
        images = len(part.drop_duplicates(["page", "condition"]))
        count = len(set(documents(part)))
        print(f"{name}: {count} documents, {part['page'].nunique()} pages, {images} images")
    groups = {
        "clean": rest[rest["condition"] == "clean"],
        "semantic severe": rest[rest["condition"] == "semantic"],
        "other severe": rest[~rest["condition"].isin(["clean", "semantic"])],
        "all severe": rest[rest["condition"] != "clean"],
    }
    for column, title in (("score", "AUROC with the ink"), ("text_score", "AUROC by text alone")):
        cells = {}
        for name, part in groups.items():
            for engine in (*ENGINES, "both"):
                some = part if engine == "both" else part[part["engine"] == engine]
                cells[f"{name}, {engine}"] = _aurocs(some, column)
        table(title, cells, [f"{length} words" for length in LENGTHS])
    cells = {}
    for name, part in groups.items():
        for engine in ENGINES:
            some = part[part["engine"] == engine]
            honest = some[some["planted"] == 0]
            shares = [
                (some[some["planted"] == length]["score"] >= SCORE).mean() for length in LENGTHS
            ]
            accused = (honest["score"] >= SCORE).mean()
            cells[f"{name}, {engine}"] = [len(honest), accused, 1 - honest["is_judged"].mean()] + [
                float(share) for share in shares
            ]
    table(
        f"pages with a score of {SCORE:g} or more",
        cells,
        ["honest pages", "accused", "not judged", *(f"{n} planted" for n in LENGTHS)],
    )
    _print_accused(rest, SCORE)


def _print_accused(rows: pd.DataFrame, score: float) -> None:
    accused = rows[(rows["planted"] == 0) & (rows["score"] >= score)]
    for row in accused.to_dict("records"):
        print(f"accused: {row['page']} {row['condition']} {row['engine']} {row['score']:.1f}: "
              f"{row['passage'][:90]}")  # fmt: skip


def _aurocs(rows: pd.DataFrame, column: str) -> list[float]:
    honest = rows[rows["planted"] == 0][column].to_numpy(float)
    return [
        auroc(honest, rows[rows["planted"] == length][column].to_numpy(float)) for length in LENGTHS
    ]


def main() -> None:
    """Read, judge and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--part", type=float, default=1.0)
    parser.add_argument("--pages", type=int, help="only so many pages")
    parser.add_argument("--only-kept", action="store_true")
    parser.add_argument("--fresh", action="store_true", help="pages that chose nothing so far")
    parser.add_argument("--replaced", action="store_true", help="lines replaced on their ink")
    parser.add_argument("--models", default="small", help="RapidOCR's models: small, tiny")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    pages = source_pages(given.data, given.cache, given.part, fresh=given.fresh)[: given.pages]
    read = list(read_pages(pages, given.cache, models=given.models, only_kept=given.only_kept))
    rows = pd.DataFrame(list(measure(read, given.cache, replaced=given.replaced)))
    if given.out is not None:
        rows.to_csv(given.out, index=False)
    if given.replaced:
        report_replaced(rows)
    else:
        (report_fresh if given.fresh else report)(rows)


if __name__ == "__main__":
    main()
