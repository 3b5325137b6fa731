"""Prints, draws and writes the noise curves of a study."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pandas as pd

from ohr.analysis.comparison.differences import run_differences
from ohr.analysis.comparison.differences_report import p_text, report_differences
from ohr.analysis.comparison.ties import cells_with_letters
from ohr.analysis.curves.losses import loss_panels
from ohr.analysis.curves.table import axis_of, statistics_table
from ohr.analysis.drawing import start_drawing
from ohr.analysis.plots import noise_curve, noise_strength, sources
from ohr.display.labels import added_noise_title, interval_units, noise_title, shown_measures
from ohr.display.noise_axis import axis_note
from ohr.display.notes import reader_notes
from ohr.display.settings import settings_of
from ohr.display.terminal import NARROW, noise_table, show
from ohr.display.wording import excluded, is_shown, rounded_up, short
from ohr.errors import OhrError
from ohr.figures.loss import breakpoint_of
from ohr.files.safe_text import plain
from ohr.ocr.noise import noise_name
from ohr.statistics import too_few
from ohr.statistics.loss_curves import LOST
from ohr.store.csv import write_csv
from ohr.study.results import StudyRun, knowledge_base_name

POINT = ["perturbation", "level", "intensity"]
MOST_FURTHER = 10_000
"""A change that takes more further documents than this to be significant is taken for none."""

MOST_ENGINES = 4
"""With more engines the last lines name the first one alone."""


def report(run: StudyRun, axis: str = "") -> None:
    """Draw the curves, print losses and means, and write each curve's statistics.

    The last lines say in at most three sentences what noise costs, where quality breaks, and what
    was not shown. ``axis`` is the metric of noise (see :func:`axis_of`). Raises ConfigError for an
    unknown one, and OhrError if the run did not measure it.
    """
    chosen = axis_of(run, axis)
    if axis and run.cells[axis].isna().all():
        raise OhrError(
            f"{axis} was not measured: give metrics=[default,{axis}], or add ocr to stages=[…]"
        )
    runs = [run]
    # The figures share these with the tables.
    differences = run_differences(run)
    loss_panels(run, chosen)
    with closing(start_drawing(run, lambda: _draw(run, axis))) as drawing:
        report_differences(run, differences)
        show(noise_table(cells_with_letters(run), reader_notes(run.readers)), NARROW)
        curves = statistics_table(runs, chosen)
        for path in drawing.result():
            print(f"figure: {path}")
    if len(curves):
        path = run.path / "curves.csv"
        write_csv(path, curves)
        print(f"curve statistics: {path}")
    if not axis and (note := axis_note(run.cells, chosen)):
        print(note)
    for sentence in sentences(run, chosen):
        print(plain(sentence))


def _draw(run: StudyRun, axis: str) -> list[Path]:
    """Draw the curves, the same by source of evidence, and measured against requested noise."""
    folder = run.path / "figures"
    paths = noise_curve([run], folder, axis=axis) + sources([run], folder, axis=axis)
    return paths + noise_strength([run], folder)


def sentences(run: StudyRun, axis: str) -> list[str]:
    """What noise costs, where a tenth of the quality is lost, and what was not shown.

    They are about the first setting and the noise that damages the first engine most; at most
    three. They name each engine, or the first one if there are more than :data:`MOST_ENGINES`.
    """
    everyone = run.cells[(run.cells["group"] == "all") & run.cells[axis].notna()]
    noisy = everyone[everyone["noise"] != "none"]
    if noisy.empty:
        return ["No noise was measured, so there is no loss to noise."]
    engine = str(noisy["engine"].iloc[0])
    worst = noisy[noisy["engine"] == engine].sort_values(axis).iloc[-1]
    clean = everyone[(everyone["engine"] == engine) & (everyone["noise"] == "none")]
    title = noise_title(axis)
    if clean.empty or worst[axis] <= clean[axis].iloc[0]:
        return [f"No noise raised the {title} of {engine} above that of the clean pages."]
    setting = settings_of(run.cells)[0]
    differences = setting.select(run_differences(run))
    losses, unshown = [], []
    named = _cell_pairs(everyone, worst)
    if len(named) > MOST_ENGINES:
        named = {engine: named[engine]}
    for name, (under_noise, on_clean) in named.items():
        rows = differences[differences["other"] == knowledge_base_name(under_noise)]
        loss, not_significant = _changes(rows, shown_measures(run.cells))
        amounts = f"{title} {short(under_noise[axis])}, {short(on_clean[axis])} on clean pages"
        losses.append((name, amounts, loss))
        if not_significant:
            of_engine = f"for {name}, " if len(named) > 1 else ""
            unshown.append(f"{of_engine}{'; '.join(not_significant)}")
    noise = noise_name(*(worst[column] for column in POINT))
    several = f", with {setting}" * (len(settings_of(run.cells)) > 1)
    if len(losses) == 1:
        text = f"Under {noise} ({losses[0][1]}), {losses[0][0]} {losses[0][2]}{several}"
    else:
        parts = [f"{name} ({amounts}) {loss}" for name, amounts, loss in losses]
        text = f"Under {noise}{several}, {'; '.join(parts)}"
        text += "; engines are not compared with each other here"
    result = [f"{text}{_others(noisy, len(losses))}."]
    if breaks := _breaks(run, axis, list(named), str(worst["perturbation"])):
        result.append(breaks)
    if unshown:
        result.append(f"Not significant: {'; '.join(unshown)}.")
    return result


def _cell_pairs(cells: pd.DataFrame, worst: pd.Series) -> dict[str, tuple[pd.Series, pd.Series]]:
    """A cell under the noise of ``worst`` and a clean one, of each engine that has both."""
    pairs = {}
    for engine, of_engine in cells.groupby("engine", sort=False, observed=True):
        under_noise = of_engine[of_engine[POINT].eq(worst[POINT]).all(axis=1)]
        clean = of_engine[of_engine["noise"] == "none"]
        if len(under_noise) and len(clean):
            pairs[str(engine)] = (under_noise.iloc[0], clean.iloc[0])
    return pairs


def _changes(rows: pd.DataFrame, measures: Sequence[tuple[str, str, str]]) -> tuple[str, list[str]]:
    """What an engine loses and gains significantly, and the changes that are not significant."""
    changes: dict[str, list[str]] = {"loses": [], "gains": []}
    unshown = []
    for stage, metric, label in measures:
        for _, row in rows[rows[["stage", "metric"]].eq([stage, metric]).all(axis=1)].iterrows():
            if is_shown(row["p_adjusted"]):
                better = (row["difference"] > 0) == bool(row["higher_is_better"])
                changes["gains" if better else "loses"].append(_change(label, row))
            else:
                unshown.append(_unshown(label, row) + _trend(row))
    parts = [f"{verb} {_listed(texts)}" for verb, texts in changes.items() if texts]
    return " and ".join(parts) or _nothing_shown(rows), unshown


def _trend(row: pd.Series) -> str:
    """That the score falls or rises with noise, if that is shown though this level is not."""
    if not is_shown(row["trend_p"]):
        return ""
    way = "rises" if row["trend"] > 0 else "falls"
    return f", but over all levels it {way} with noise (p {p_text(row['trend_p'])})"


def _nothing_shown(rows: pd.DataFrame) -> str:
    """That no change is significant, or that so few documents could not show one."""
    reason = too_few(int(rows["n_documents"].max())) if len(rows) else ""
    return f"can show nothing ({reason})" if reason else "shows no significant change"


def _others(noisy: pd.DataFrame, named: int) -> str:
    """How many other curves the tables have, so that those named are not taken for all."""
    rest = len(noisy[["engine", "perturbation"]].drop_duplicates()) - named
    return f"; the table has {rest} other curve{'s' * (rest != 1)}" if rest else ""


def _change(label: str, row: pd.Series) -> str:
    """``.245 of Retrieval LCS (95 % interval .107 to .383, p .039)``: the size of a change."""
    sign = -1 if row["difference"] < 0 else 1
    ends = sorted(sign * row[end] for end in ("ci_low", "ci_high"))
    return (
        f"{short(abs(row['difference']))} of {label} (95 % interval {short(ends[0])} to "
        f"{short(ends[1])}, p {p_text(row['p_adjusted'])})"
    )


def _unshown(label: str, row: pd.Series) -> str:
    """What a change that is not significant excludes, and what would settle it."""
    text = f"{label} ({excluded(row['ci_low'], row['ci_high'])}"
    further = row["further_units"]
    if 1 <= further <= MOST_FURTHER:
        units = interval_units([row["ci_unit"]])
        text += f"; about {rounded_up(further)} further {units} like these would show a change of "
        text += f"{short(row['difference'])}"
    return f"{text})"


def _breaks(run: StudyRun, axis: str, engines: Sequence[str], noise: str) -> str:
    """Where a tenth of the clean score is lost, in each panel of the first setting."""
    panels = loss_panels(run, axis)
    if not panels:
        return ""
    texts = []
    for engine in engines:
        of_engine = [
            f"{panel.title} {breakpoint_of(series.curve)}"
            for panel in panels[0][1]
            for series in panel.series
            if (series.engine, series.noise) == (engine, noise)
        ]
        if of_engine:
            name = f"for {engine}, " if len(engines) > 1 else ""
            texts.append(f"{name}{'; '.join(of_engine)}")
    lost = f"{100 * LOST:.0f} % of the clean score is lost"
    return f"Where {lost} ({added_noise_title(axis)}): {'; '.join(texts)}." if texts else ""


def _listed(parts: Sequence[str]) -> str:
    """``a``; ``a and b``; ``a, b and c``."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
