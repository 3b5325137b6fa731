"""The answers of a finished run, each with the signals of how far it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ohr.errors import OhrError
from ohr.metrics import default
from ohr.quality.garbage import garbage_share
from ohr.study.output.cases import read_cases, read_confidences, read_texts
from ohr.study.output.rows import CONFIDENCE
from ohr.study.results import KNOWLEDGE_BASE, StudyRun
from ohr.types import PageRef

SETTING = ("system", "chunker", "retriever", "reader")
CONFIDENT, MARGIN, TOP_SCORE = CONFIDENCE, "retrieval margin", "retrieval score"
AGREEMENT, LEGIBLE, QUALITY = "agreement", "words that look like words", "predicted page quality"
OCR_CONFIDENCE = "OCR confidence"
"""Of the page that was found, where the tool that read it gives one."""
TRUTH = "gt"
"""The engine that gives the ground truth."""
SIGNALS = (CONFIDENT, MARGIN, TOP_SCORE, AGREEMENT, LEGIBLE, QUALITY, OCR_CONFIDENCE)
"""Higher: surer."""
PREDICTED = "r_noise_content"
"""Column of ``quality.csv`` with the predicted content r_noise."""
_UNIT = ["qid", "doc_id", "page_no", "domain"]


def answers_with_signals(run: StudyRun, metric: str) -> pd.DataFrame:
    """One row per answer of the whole chain: its condition, ``value``, and the signals.

    A signal that the run does not have is NaN. No page is read again. Raises OhrError without
    answers of the stage overall.
    """
    rows = run.drawn
    rows = rows[(rows["stage"] == "overall") & (rows["metric"] == metric)]
    if rows.empty:
        raise OhrError(
            f"{run.path}: no answers with overall {metric}: it needs answers of the whole chain"
        )
    keys = ["noise", "perturbation", "level", "intensity", "engine", "draw", *SETTING]
    extra = [CONFIDENCE] if CONFIDENCE in rows else []
    frame = rows[[*keys, *_UNIT, "value", *extra]].reset_index(drop=True)
    if not extra:
        frame[CONFIDENCE] = np.nan
    names = frame[[*KNOWLEDGE_BASE, "draw"]].drop_duplicates()
    names = names.assign(
        base=[
            run.name_in_cases(*row)
            for row in names[["engine", "perturbation", "level", "intensity", "draw"]].itertuples(
                index=False, name=None
            )
        ]
    )
    frame = frame.merge(names, on=[*KNOWLEDGE_BASE, "draw"])
    frame = frame.merge(_texts(run), how="left", on=["base", *SETTING, "qid"])
    frame = frame.merge(_hits(run), how="left", on=["base", "chunker", "retriever", "qid"])
    frame[AGREEMENT] = _agreement(frame)
    frame[LEGIBLE] = _legible(run, frame)
    frame[QUALITY] = _quality(run, frame)
    frame[OCR_CONFIDENCE] = _page_confidence(run, frame)
    return frame


def _texts(run: StudyRun) -> pd.DataFrame:
    table = read_cases(run.path, "answers").to_pandas()
    table = table[table["stage"].astype(str) == "overall"]
    table = table[["knowledge_base", *SETTING, "qid", "text"]]
    return _plain(table).rename(columns={"knowledge_base": "base"})


def _hits(run: StudyRun) -> pd.DataFrame:
    """The best hit of each question, its score, and its lead over the second."""
    table = read_cases(run.path, "hits").to_pandas()
    keys = ["knowledge_base", "chunker", "retriever", "qid"]
    table = _plain(table[[*keys, "rank", "doc_id", "page_no", "score"]])
    best = table[table["rank"] == 0].drop(columns="rank")
    second = table.loc[table["rank"] == 1, [*keys, "score"]]
    best = best.merge(second, how="left", on=keys, suffixes=("", "_2"))
    scale = best["score"].abs().where(best["score"] != 0)
    best[MARGIN] = (best["score"] - best["score_2"]) / scale
    names = {"knowledge_base": "base", "doc_id": "hit_doc", "page_no": "hit_page"}
    return best.rename(columns=names | {"score": TOP_SCORE}).drop(columns="score_2")


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    for name in table.columns[table.dtypes == "category"]:
        table = table.assign(**{name: table[name].astype(str)})
    return table


def _agreement(frame: pd.DataFrame) -> pd.Series:
    """Mean F1 of an answer with those from other OCR of the same pages, NaN where there is none.

    That is another engine under the same noise or, without one, another draw of the noise. The
    ground truth is no engine.
    """
    agreement = pd.Series(np.nan, index=frame.index)
    read = frame[frame["engine"] != TRUTH]
    same = ["noise", "perturbation", "level", "intensity", "draw", *SETTING, "qid"]
    _fill_agreement(read, same, "engine", agreement)
    alone = frame[agreement.isna() & (frame["noise"] != "none")]
    draws = ["noise", "perturbation", "level", "intensity", "engine", *SETTING, "qid"]
    _fill_agreement(alone, draws, "draw", agreement)
    return agreement


def _fill_agreement(
    frame: pd.DataFrame, same: list[str], differs: str, agreement: pd.Series
) -> None:
    if frame.empty or frame[differs].nunique() < 2:
        return
    for _, group in frame.groupby(same, sort=False):
        texts = [text if isinstance(text, str) else "" for text in group["text"]]
        for place, index in enumerate(group.index):
            scores = [_same_words(texts[place], text) for n, text in enumerate(texts) if n != place]
            if scores:
                agreement[index] = float(np.mean(scores))


def _same_words(first: str, second: str) -> float:
    return 1.0 if first == second else default.f1(first, second)


def _legible(run: StudyRun, frame: pd.DataFrame) -> pd.Series:
    """The share of the words of the page that was found which are no garbage."""
    texts = read_texts(run.path)
    shares: dict[tuple[str, PageRef], float] = {}
    values = []
    for base, doc_id, page_no in zip(
        frame["base"], frame["hit_doc"], frame["hit_page"], strict=True
    ):
        if not isinstance(doc_id, str):
            values.append(np.nan)
            continue
        key = base, PageRef(doc_id, int(page_no))
        if key not in shares:
            shares[key] = 1 - garbage_share(texts.get(base, {}).get(key[1], ""))
        values.append(shares[key])
    return pd.Series(values, index=frame.index, dtype=float)


def _quality(run: StudyRun, frame: pd.DataFrame) -> pd.Series:
    """1 less the predicted r_noise of the page that was found, if the folder has quality.csv."""
    nothing = pd.Series(np.nan, index=frame.index)
    if not (run.path / "quality.csv").is_file():
        return nothing
    table = pd.read_csv(run.path / "quality.csv")
    if not {"document", "page", "engine", PREDICTED} <= set(table):
        raise OhrError(
            f"{run.path / 'quality.csv'}: no column document, page, engine or {PREDICTED}"
        )
    predicted: Mapping[tuple[str, int, str], float] = {
        (str(row["document"]), int(row["page"]) - 1, str(row["engine"])): float(row[PREDICTED])
        for row in table.to_dict("records")
    }
    pages = zip(frame["hit_doc"], frame["hit_page"], frame["engine"], strict=True)
    values = [
        1 - predicted.get((doc_id, int(page_no), engine), np.nan)
        if isinstance(doc_id, str)
        else np.nan
        for doc_id, page_no, engine in pages
    ]
    return pd.Series(values, index=frame.index, dtype=float)


def _page_confidence(run: StudyRun, frame: pd.DataFrame) -> pd.Series:
    """How sure the tool that read the page that was found says it is of the page's words."""
    confidences = read_confidences(run.path)
    pages = zip(frame["base"], frame["hit_doc"], frame["hit_page"], strict=True)
    values = [
        confidences.get((base, PageRef(doc_id, int(page_no))), np.nan)
        if isinstance(doc_id, str)
        else np.nan
        for base, doc_id, page_no in pages
    ]
    return pd.Series(values, index=frame.index, dtype=float)
