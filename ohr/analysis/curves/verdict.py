"""The verdict of a study of noise: what each curve loses on clean pages, and to the noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from ohr.analysis.comparison.differences import run_differences
from ohr.analysis.curves.losses import loss_panels
from ohr.analysis.curves.table import axis_of
from ohr.display.labels import added_noise_title, noise_title, shown_measures
from ohr.display.settings import settings_of
from ohr.display.wording import add_article, counted, is_shown, listed
from ohr.ocr.noise import noise_name
from ohr.statistics import too_few
from ohr.statistics.loss_curves import LOST
from ohr.statistics.numbers import prose, prose_bound, prose_interval, prose_p
from ohr.study.results import StudyRun, knowledge_base_name

TRUTH = "gt"
MOST_CURVES = 4
"""With more curves the verdict has the figures of these, and names the others."""
CLEAN_PAGES = "clean pages"
TRUE_TEXT = "the true text"
Measure = tuple[str, str, str]


@dataclass(frozen=True)
class Step:
    """A part of the loss: what causes it, and its row in the table of differences."""

    cause: str
    row: pd.Series

    @property
    def is_shown(self) -> bool:
        """Whether it is significant."""
        return is_shown(self.row["p_adjusted"])

    @property
    def sign(self) -> int:
        """With which the difference is multiplied to be a loss."""
        return -1 if self.row["higher_is_better"] else 1

    @property
    def loss(self) -> float:
        """What is lost; negative for a gain."""
        return float(self.sign * self.row["difference"])

    def text(self, before: str, confidence: str) -> str:
        """``clean pages cost 0.06 (95 % CI 0.02 to 0.10)``; ``before`` replaces the verb."""
        loss = f"{self.cause} {before or self.verb} {prose(abs(self.loss))}"
        ends = sorted(self.sign * float(self.row[end]) for end in ("ci_low", "ci_high"))
        if self.loss < 0:
            ends = [-end for end in reversed(ends)]
        if self.is_shown:
            return f"{loss} ({confidence}{prose_interval(*ends)})"
        if reason := too_few(int(self.row["n_documents"])):
            return f"{loss} (nothing can be shown: {reason})"
        bound = max(map(abs, ends))
        ruled_out = f"; a change above {prose_bound(bound)} is ruled out" if bound < 1 else ""
        return f"{loss} (not significant{ruled_out}{self._trend})"

    @property
    def verb(self) -> str:
        """``cost``, or ``gain`` for a score that gets better; clean pages are many."""
        ending = "" if self.cause == CLEAN_PAGES else "s"
        return f"{'cost' if self.loss >= 0 else 'gain'}{ending}"

    @property
    def _trend(self) -> str:
        """That the score falls or rises with noise, if that is shown though this level is not."""
        if not is_shown(self.row["trend_p"]):
            return ""
        way = "rises" if self.row["trend"] > 0 else "falls"
        return f"; over all levels the score {way} with noise, {prose_p(self.row['trend_p'])}"


@dataclass(frozen=True)
class Curve:
    """One engine under one noise: its noisiest knowledge base, and its clean one, if measured."""

    engine: str
    noise: str
    """The noise with its strength: ``semantic severe``."""
    perturbation: str
    noisy: pd.Series
    clean: pd.Series | None
    start: str
    """What the first of the means is measured on: the true text or clean pages."""
    means: Mapping[tuple[str, str], Sequence[float]]
    """Stage and metric -> means on the true text, on clean pages and under noise, as measured."""
    steps: Mapping[tuple[str, str], Sequence[Step]]

    @property
    def names(self) -> list[str]:
        """What the means are measured on, in their order."""
        if self.engine == TRUTH or self.start == CLEAN_PAGES:
            return [self.start, self.noise]
        return [self.start, *([CLEAN_PAGES] if self.clean is not None else []), self.noise]

    def loss(self, measure: Measure) -> float:
        """The fall from the best of the conditions to the noise; 0 where nothing was measured."""
        means = self.means.get(measure[:2], ())
        return float(means[0] - means[-1]) if means else 0.0

    def text(self, measures: Sequence[Measure], axis: str, noise: str) -> str:
        """The verdict on the curve: the first measure with intervals, then the others."""
        if not measures:
            amounts = [] if self.clean is None else [f"{prose(self.clean[axis])} on clean pages"]
            amounts.append(f"{prose(self.noisy[axis])} under {self.noise}")
            return f"{self.engine}: {noise} {', '.join(amounts)}."
        first, *others = measures
        parts = [self._whole_sentence(first)]
        if more := [text for measure in others if (text := self._short_sentence(measure))]:
            joined = "; ".join(more)
            parts.append(f"{joined[:1].upper()}{joined[1:]}.")
        return " ".join(parts)

    def _whole_sentence(self, measure: Measure) -> str:
        means, steps = self.means.get(measure[:2], ()), self.steps.get(measure[:2], ())
        name = measure[2]
        if not means or not steps:
            return f"{self.engine} under {self.noise}: no loss of {name} can be tested."
        text = f"{self.engine}: of {add_article(name)} of {prose(means[0])} on {self.start}, "
        first, *second = steps
        texts = [first.text("", "95 % CI ")]
        for step in second:
            further = "a further" if first.loss >= 0 <= step.loss else ""
            texts.append(step.text(further, "" if first.is_shown else "95 % CI "))
        return f"{text}{' and '.join(texts)}."

    def _short_sentence(self, measure: Measure) -> str:
        """``answer F1, whole system: 0.29 → 0.22 → 0.12 (not significant)``."""
        means, steps = self.means.get(measure[:2], ()), self.steps.get(measure[:2], ())
        if not means or not steps:
            return ""
        shown = [step.cause for step in steps if step.is_shown]
        if too_few(int(steps[0].row["n_documents"])):
            significant = ""
        elif shown:
            significant = f" (significant: {listed(shown)})"
        else:
            significant = " (not significant)"
        return f"{measure[2]}: {' → '.join(map(prose, means))}{significant}"


def sentences(run: StudyRun, axis: str) -> list[str]:
    """What each curve of the first setting loses, and where a tenth of the quality is lost.

    The curve that loses most comes first; the ground truth comes last, since its losses are those
    of noise in text alone. Curves beyond :data:`MOST_CURVES` are only named.
    """
    everyone = run.cells[(run.cells["group"] == "all") & run.cells[axis].notna()]
    if (everyone["noise"] == "none").all():
        return ["No noise was measured, so there is no loss to noise."]
    measures, noise = shown_measures(run.cells), noise_title(axis, run.cells)
    curves = list(_curves(run, axis, everyone))
    raised = [curve for curve in curves if curve.clean is None or _rises(curve, axis)]
    if not raised:
        return [
            f"No noise raised the {noise_title(axis, run.cells)} above that of the clean pages."
        ]
    ranked = _rank(raised, measures, axis)
    named = ranked[:MOST_CURVES]
    result = [curve.text(measures, axis, noise) for curve in named]
    if several := settings_of(run.cells)[1:]:
        first = settings_of(run.cells)[0]
        more = counted(len(several), "other setting")
        result.append(f"These figures are with {first}; the table has {more}.")
    if others := ranked[MOST_CURVES:]:
        names = listed([f"{curve.engine} under {curve.noise}" for curve in others])
        result.append(f"They lose less by measured score, see the table: {names}.")
    result.append(_size(ranked))
    if breaks := _breaks(run, axis, ranked[0]):
        result.append(breaks)
    return result


def ranked_curves(run: StudyRun) -> list[Curve]:
    """The curves of the first setting, as :func:`sentences` orders them; without noise, none."""
    axis = axis_of(run)
    everyone = run.cells[(run.cells["group"] == "all") & run.cells[axis].notna()]
    return _rank(list(_curves(run, axis, everyone)), shown_measures(run.cells), axis)


def _rank(curves: Sequence[Curve], measures: Sequence[Measure], axis: str) -> list[Curve]:
    """The curve that loses most first, the ground truth last."""
    return sorted(
        curves,
        key=lambda curve: (
            curve.engine == TRUTH,
            -(curve.loss(measures[0]) if measures else float(curve.noisy[axis])),
        ),
    )


def clean_sentences(run: StudyRun) -> list[str]:
    """What each OCR engine loses on clean pages against the true text; the largest loss first.

    Empty without ground truth or scores of retrieval or answers, where nothing can be compared.
    """
    measures = shown_measures(run.cells)
    clean = run.cells[(run.cells["group"] == "all") & (run.cells["noise"] == "none")]
    bases = {str(cell["engine"]): cell for _, cell in clean.drop_duplicates("engine").iterrows()}
    truth = bases.pop(TRUTH, None)
    if truth is None or not bases or not measures:
        return []
    setting = settings_of(run.cells)[0]
    differences, scores = setting.select(run_differences(run)), setting.select(clean)
    curves = []
    for engine, base in bases.items():
        name = knowledge_base_name(base)
        own = differences[differences["other"] == name]
        steps = {
            (row["stage"], row["metric"]): [Step(CLEAN_PAGES, row)] for _, row in own.iterrows()
        }
        means = _means(scores, [knowledge_base_name(truth), name])
        curves.append(Curve(engine, CLEAN_PAGES, "none", base, None, TRUE_TEXT, means, steps))
    ranked = sorted(curves, key=lambda curve: -curve.loss(measures[0]))
    result = [curve.text(measures, "", "") for curve in ranked[:MOST_CURVES]]
    if others := ranked[MOST_CURVES:]:
        names = listed([curve.engine for curve in others])
        result.append(f"They lose less by measured score, see the table: {names}.")
    return [*result, _size(ranked)]


def _rises(curve: Curve, axis: str) -> bool:
    return curve.clean is not None and bool(curve.noisy[axis] > curve.clean[axis])


def _curves(run: StudyRun, axis: str, everyone: pd.DataFrame) -> Iterator[Curve]:
    """Each engine under each noise, at the level that damages most."""
    setting = settings_of(run.cells)[0]
    differences = setting.select(run_differences(run))
    scores = setting.select(everyone)
    clean_pages = everyone[everyone["noise"] == "none"].drop_duplicates("engine")
    clean_of = {str(cell["engine"]): cell for _, cell in clean_pages.iterrows()}
    noisy = everyone[everyone["noise"] != "none"]
    keys = ["engine", "perturbation"]
    for (engine, perturbation), of_curve in noisy.groupby(keys, sort=False, observed=True):
        worst = of_curve.sort_values([axis, "intensity"]).iloc[-1]
        clean = clean_of.get(str(engine))
        truth = clean_of.get(TRUTH)
        bases = [truth if engine != TRUTH else None, clean, worst]
        names = [knowledge_base_name(base) for base in bases if base is not None]
        noise = noise_name(worst["perturbation"], worst["level"], worst["intensity"])
        causes = {names[-1]: noise}
        if clean is not None and truth is not None and engine != TRUTH:
            causes[knowledge_base_name(clean)] = CLEAN_PAGES
        steps: dict[tuple[str, str], list[Step]] = {}
        for name in names:
            for _, row in differences[differences["other"] == name].iterrows():
                if name in causes:
                    key = (row["stage"], row["metric"])
                    steps.setdefault(key, []).append(Step(causes[name], row))
        start = CLEAN_PAGES if truth is None else TRUE_TEXT
        means = _means(scores, names)
        yield Curve(str(engine), noise, str(perturbation), worst, clean, start, means, steps)


def _means(cells: pd.DataFrame, names: Sequence[str]) -> dict[tuple[str, str], list[float]]:
    """The means of knowledge bases, by stage and metric."""
    means: dict[tuple[str, str], list[float]] = {}
    bases = cells.apply(knowledge_base_name, axis=1)
    for name in names:
        for _, cell in cells[bases == name].iterrows():
            means.setdefault((cell["stage"], cell["metric"]), []).append(float(cell["mean"]))
    return means


def _size(curves: Sequence[Curve]) -> str:
    """How many questions and documents the figures rest on, and what the order of engines means."""
    rows = [step.row for steps in curves[0].steps.values() for step in steps]
    parts = []
    if rows:
        questions, documents = (
            max(int(row[name]) for row in rows) for name in ("n", "n_documents")
        )
        parts.append(f"{counted(questions, 'question')} on {counted(documents, 'document')}.")
    if len({curve.engine for curve in curves}) > 1:
        parts.append("Engines are in the order of their measured loss; no test compares them here.")
    return " ".join(parts)


def _breaks(run: StudyRun, axis: str, curve: Curve) -> str:
    """Where the first curve has lost a tenth of the clean score, by measure."""
    panels = loss_panels(run, axis)
    texts, unlost = [], []
    for panel in panels[0][1] if panels else ():
        name = panel.title
        for series in panel.series:
            if (series.engine, series.noise) == (curve.engine, curve.perturbation):
                value, low, high = series.curve.noise_at_loss()
                most = float(series.curve.added[-1])
                if math.isinf(value):
                    unlost.append(f"{name} (up to {prose(most)})")
                elif not math.isnan(value):
                    end = prose(high) if math.isfinite(high) else f"over {prose(most)}"
                    interval = "" if math.isnan(low) else f" (95 % CI {prose(low)} to {end})"
                    texts.append(f"{prose(value)} for {name}{interval}")
    lost = f"{100 * LOST:.0f} % of its clean score"
    noise = added_noise_title(noise_title(axis, run.cells))
    parts = []
    if texts:
        parts.append(f"{curve.engine} has lost {lost} at {noise} of {listed(texts)}")
    if unlost:
        parts.append(f"less than {100 * LOST:.0f} % is lost of {listed(unlost)}")
    return f"{'; '.join(parts)}." if parts else ""
