"""Fits a model of OCR errors, writes it, and prints its check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.ocr_errors.discriminator import FOLDS
from ohr.analysis.ocr_errors.figure import check_figure
from ohr.analysis.ocr_errors.retrieval import question_scores, rank_retrievers
from ohr.analysis.ocr_errors.sources import Pairs, read_pairs
from ohr.analysis.ocr_errors.table import (
    DRAWN,
    DRAWS,
    LEARNED,
    NEAR_LCS,
    NEAR_R_NOISE,
    REAL,
    UNIFORM,
    CheckedPage,
    check_of,
    check_table,
    describe_parts,
    discriminators,
    make_pages,
    make_with,
    page_table,
)
from ohr.display.columns import Column, Row, make_table, number_column, text_column
from ohr.display.terminal import empty_table, print_caption, say, say_files, show, terminal_table
from ohr.errors import OhrError
from ohr.files.safe_text import plain
from ohr.metrics.alignment import Fate
from ohr.ocr_errors.files import read_model, write_model
from ohr.ocr_errors.fit import fit_model
from ohr.ocr_errors.make import ErrorMaker
from ohr.ocr_errors.model import Check, ErrorModel, Provenance
from ohr.ocr_errors.pages import AlignedPage, align_pair
from ohr.statistics.numbers import number, percent
from ohr.store.atomic import write_text
from ohr.store.csv import write_csv
from ohr.types import Question


def fit_and_check(
    sources: Sequence[Path],
    out: Path,
    engine: str = "",
    questions: Path | None = None,
    domains: tuple[str, ...] = (),
    check_pages: int = 600,
    seed: int = 0,
) -> int:
    """Fit a model to all pages, check it on documents left out, and write model and check.

    The check makes errors on at most ``check_pages`` pages, of whole documents drawn with the seed;
    on the smallest document if every one has more. Raises OhrError.
    """
    pairs = read_pairs(sources, engine, questions, domains)
    pages = [align_pair(pair) for pair in pairs.pages]
    provenance = _provenance(pairs, pages)
    model = fit_model(pages, provenance)
    checked = make_pages(_drawn(pages, check_pages, seed), provenance)
    answerable = _answerable(pairs, checked)
    scores = question_scores(checked, answerable) if answerable else pd.DataFrame()
    table = check_table(page_table(checked), scores)
    aucs = discriminators(checked)
    check = check_of(scores, checked, aucs)
    model = model.model_copy(update={"check": check})
    write_text(out, write_model(model))
    _print_alignment(pairs, pages)
    show(_table(table))
    _print_conditions(checked, answerable, describe_parts(checked))
    _print_discriminators(aucs)
    if answerable:
        _print_ranking(rank_retrievers(checked, answerable))
    _print_verdicts(check)
    figures = check_figure(table, out.parent, f"{out.stem}_check", describe_parts(checked))
    write_csv(out.parent / f"{out.stem}_check.csv", table)
    say(f"model of {len(pages)} pages ({out.stat().st_size / 1000:.0f} kB): {out}")
    say_files([out.parent / f"{out.stem}_check.csv", *figures])
    return 0


def check_models(
    sources: Sequence[Path],
    models: Sequence[str],
    out: Path,
    engine: str = "",
    questions: Path | None = None,
    domains: tuple[str, ...] = (),
    check_pages: int = 600,
    seed: int = 0,
) -> int:
    """Check models that were fitted elsewhere on these pages; write ``transfer.csv``.

    ``models`` are names or paths. Raises OhrError.
    """
    fitted = {name: read_model(name) for name in models}
    if not fitted:
        raise OhrError("name at least one model: --models tesseract,mineru")
    pairs = read_pairs(sources, engine, questions, domains)
    pages = _drawn([align_pair(pair) for pair in pairs.pages], check_pages, seed)
    _print_alignment(pairs, pages)
    tables = []
    notes = []
    for name, model in fitted.items():
        checked = _made_by(model, pages)
        answerable = _answerable(pairs, checked)
        scores = question_scores(checked, answerable) if answerable else pd.DataFrame()
        table = check_table(page_table(checked), scores)
        aucs = discriminators(checked)
        table.insert(0, "model", name)
        table["auc"] = table["kind"].map(aucs)
        tables.append(table)
        if model.provenance.data == pairs.data:
            notes.append(f"{name} was fitted to these data: only its own check left documents out")
    everything = pd.concat(tables, ignore_index=True)
    show(_transfer_table(everything))
    _print_conditions(checked, answerable, "models as they are")
    if everything["auc"].isna().all():
        print(f"no AUC: the discriminator needs {FOLDS} documents")
    for note in notes:
        print_caption(note)
    write_csv(out / "transfer.csv", everything)
    say_files([out / "transfer.csv"])
    return 0


def _made_by(model: ErrorModel, pages: Sequence[AlignedPage]) -> list[CheckedPage]:
    maker = ErrorMaker(model)
    return make_with(pages, lambda _: maker)


def _answerable(pairs: Pairs, checked: Sequence[CheckedPage]) -> list[Question]:
    """The questions whose evidence is on the checked pages."""
    refs = {page.page.pair.ref for page in checked}
    return [question for question in pairs.questions if set(question.evidence_pages) <= refs]


def _print_conditions(
    checked: Sequence[CheckedPage], questions: Sequence[Question], fitted: str
) -> None:
    n_pages = sum(page.draw == 0 for page in checked)
    print(
        f"{n_pages} pages and {len(questions)} questions; {fitted}; means over {DRAWS} draws; "
        f"every page has the same edit distance, whoever makes its errors (not in {DRAWN!r}), "
        "moved passages not counted; loss: against the ground truth, BM25, two chunks; F1: "
        "extractive"
    )


def _print_ranking(ranking: pd.DataFrame) -> None:
    listed = ", ".join(
        f"{row['kind']} {number(row['tau_b'])}" for row in ranking.to_dict("records")
    )
    print(
        "ranking of twelve retrievers (four chunkers, BM25 over three kinds of terms) by loss of "
        f"LCS, Kendall's tau-b with {REAL}: {listed}"
    )


def _transfer_table(table: pd.DataFrame) -> Table:
    has_questions = "r_noise" in table
    columns = ["edit distance", "AUC", "words lost, real", "words lost"]
    if has_questions:
        columns += ["r_noise, real", "r_noise", "loss of LCS, real", "loss of LCS", "uniform"]
    shown = empty_table(["model", "level"], columns)
    for (model, level), own in table.groupby(["model", "level"], sort=False):
        row = own.set_index("kind")
        shown_values = [(REAL, "edit_distance"), (LEARNED, "auc")]
        shown_values += [(kind, "words_lost") for kind in (REAL, LEARNED)]
        if has_questions:
            shown_values += [(kind, "r_noise") for kind in (REAL, LEARNED)]
            shown_values += [(kind, "lcs_loss") for kind in (REAL, LEARNED, UNIFORM)]
        cells = [number(float(row[column][kind])) for kind, column in shown_values]
        shown.add_row(Text(plain(str(model))), Text(plain(str(level))), *cells)
    return shown


def _provenance(pairs: Pairs, pages: Sequence[AlignedPage]) -> Provenance:
    return Provenance(
        engine=pairs.engine,
        noise=pairs.noise,
        data=pairs.data,
        documents=len({page.pair.ref.doc_id for page in pages}),
        pages=len(pages),
        words=sum(len(page.words.words) for page in pages),
        command="ohr dev fit-errors",
        made_with=f"ohr {version('ohr')}",
    )


def _drawn(pages: Sequence[AlignedPage], most: int, seed: int) -> list[AlignedPage]:
    """Whole documents of all domains, drawn with the seed until there are ``most`` pages.

    A page counts once per level. If every document has more pages, the smallest one is drawn.
    """
    if len(pages) <= most:
        return list(pages)
    counts = Counter(page.pair.ref.doc_id for page in pages)
    names = sorted(counts)
    drawn: set[str] = set()
    remaining = most
    for place in np.random.default_rng(seed).permutation(len(names)).tolist():
        if counts[names[place]] <= remaining:
            drawn.add(names[place])
            remaining -= counts[names[place]]
    if not drawn:
        drawn.add(min(names, key=counts.__getitem__))
    return [page for page in pages if page.pair.ref.doc_id in drawn]


def _print_alignment(pairs: Pairs, pages: Sequence[AlignedPage]) -> None:
    fates = Counter(fate for page in pages for fate in page.alignment.fates)
    total = max(1, fates.total())
    parts = ", ".join(f"{fate.name.lower()} {percent(fates[fate] / total, 1)}" for fate in Fate)
    moved = sum(page.alignment.moved_words for page in pages)
    passages = sum(page.alignment.moved_passages for page in pages)
    print(plain(f"{pairs.engine} on {len(pages)} pages, {total} words: {parts}"))
    print(
        f"moved, not counted as errors: {passages} passages with "
        f"{percent(moved / total, 1)} of the words; a model makes no moves"
    )
    uncompared = sum(page.alignment.uncompared for page in pages)
    if uncompared:
        print(f"{uncompared} words in stretches too long to compare count as lost")
    if pairs.left_out:
        print(f"{pairs.left_out} pages without output (missing or failed) are left out")
    if pairs.unread:
        print(f"{pairs.unread} pages of the run that its engines did not read are left out")
    if pairs.without_truth:
        print(f"{pairs.without_truth} pages without ground truth are left out")


def _table(table: pd.DataFrame) -> Table:
    """One row per level and maker of errors; scores of questions only if there are any."""
    scores = {
        "edit_distance": "edit distance",
        "r_noise": "r_noise",
        "hit_loss": "loss of hit@2",
        "lcs_loss": "loss of LCS",
        "f1_loss": "loss of F1",
        "words_wrong": "words wrong",
        "words_lost": "words lost",
        "run_length": "run length",
    }
    columns = [text_column("level"), text_column("kind", "errors")]
    columns += [number_column(name, title) for name, title in scores.items() if name in table]
    if "r_noise" in table:
        columns.append(Column("LCS - real [95 %]", _lcs_difference))
    return terminal_table(make_table(columns, table))


def _lcs_difference(row: Row) -> str:
    if row["kind"] == REAL:
        return ""
    low, high = number(row["lcs_low"]), number(row["lcs_high"])
    return f"{number(row['lcs_difference'])} [{low}, {high}]"


def _print_discriminators(aucs: dict[str, float]) -> None:
    listed = ", ".join(f"{kind} {number(value)}" for kind, value in aucs.items())
    print(
        f"discriminator (5-grams, logistic regression, documents left out), AUC against {REAL}: "
        f"{listed}; 0.5 means that nothing distinguishes them"
    )


def _print_verdicts(check: Check) -> None:
    print(
        f"{LEARNED} fits a group if the 95 % intervals of its differences from the real output lie "
        f"within {NEAR_R_NOISE} (r_noise) and {NEAR_LCS} (LCS) at every level:"
    )
    for verdict in check.verdicts:
        far = (
            ""
            if verdict.r_noise is None or verdict.lcs is None
            else f" (largest difference of r_noise {verdict.r_noise:.3f}, of LCS {verdict.lcs:.3f})"
        )
        note = f": {verdict.note}" if verdict.note else ""
        print(
            plain(f"  {verdict.group}, {verdict.questions} questions: {verdict.outcome}{far}{note}")
        )
