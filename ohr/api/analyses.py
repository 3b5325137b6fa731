"""What finished runs say: each ``ohr analyse NAME`` as a method that returns a frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ohr.errors import OhrError
from ohr.ocr.progress import Progress
from ohr.study import results


class Analyses(results.StudyRun):
    """The analyses of a run, alone or with further ones; each returns a frame, writes nothing."""

    def compare(
        self,
        *further: results.StudyRun,
        by: str = "",
        metrics: Sequence[str] = (),
        baseline: str = "",
        groups: bool = False,
    ) -> pd.DataFrame:
        """Paired differences with intervals, p and effect sizes.

        ``by`` is what to compare: ``knowledge_base`` (the default for one run), ``engine``,
        ``retriever``, ``reader``, ``chunker`` and so on, or ``run``. ``metrics`` are names such as
        ``hit@2``, ``lcs@2`` and ``overall:f1``. The ``baseline`` is by default the first. With
        ``groups``, also one row per evidence source, domain, answer form and task. Raises OhrError
        if nothing can be paired.
        """
        from ohr.analysis.comparison.table import compare

        return compare(self._and(further), by=by, metrics=metrics, baseline=baseline, groups=groups)

    def noise_cost(self, *further: results.StudyRun, metrics: Sequence[str] = ()) -> pd.DataFrame:
        """What noise costs each condition, in % of the frozen baseline's loss, with intervals.

        ``metrics`` are by default the usual ones of retrieval and answers. Raises OhrError if the
        runs lack noise or the baseline (Tesseract, BM25, the extractive reader).
        """
        from ohr.analysis.comparison.names import cut_runs
        from ohr.analysis.comparison.table import metrics_of
        from ohr.analysis.noise_cost.table import noise_costs

        runs = cut_runs(self._and(further), metrics)
        pairs = [pair for pair in metrics_of(runs, metrics) if metrics or pair[0] != "ocr"]
        return noise_costs(runs, pairs)

    def curves(self, *further: results.StudyRun, axis: str = "") -> pd.DataFrame:
        """Area, slope, breakpoint and retention of each noise curve, with 95 % intervals.

        ``axis`` is the measured noise, by default the published r_noise.
        """
        from ohr.analysis.curves.table import statistics_table

        return statistics_table(self._and(further), axis)

    def budget(
        self,
        *further: results.StudyRun,
        lose: float = 0.05,
        metrics: Sequence[str] = (),
        axis: str = "",
    ) -> pd.DataFrame:
        """The most noise at which at most the share ``lose`` of the clean score is lost.

        ``axis`` is by default the content r_noise. See
        :func:`ohr.analysis.budget.table.budgets`. Raises OhrError without a noise curve.
        """
        from ohr.analysis.budget.table import budgets

        return budgets(self._and(further), lose, metrics, axis)

    def equal_noise(
        self,
        *further: results.StudyRun,
        amounts: Sequence[float] = (0.1, 0.2, 0.3, 0.4),
        reference: str = "",
        metrics: Sequence[str] = (),
        axis: str = "r_noise_content",
    ) -> pd.DataFrame:
        """The loss of each engine and kind of noise at ``amounts`` of noise, by ``axis``.

        Each is compared with the ``reference``. See :func:`ohr.analysis.equal_noise.table.
        equal_noise`. Raises OhrError without the ground truth on clean pages.
        """
        from ohr.analysis.equal_noise.table import equal_noise, run_names

        runs = self._and(further)
        return equal_noise(
            dict(zip(run_names(runs), runs, strict=True)), amounts, reference, metrics, axis
        )

    def trust(
        self, *, metric: str = "f1", right: float = 0.5, risks: Sequence[float] = (0.05, 0.1, 0.2)
    ) -> pd.DataFrame:
        """Which answers can be trusted: risk and coverage, one row per condition and signal.

        An answer is right if its overall ``metric`` is at least ``right``; ``risks`` are the shares
        of wrong answers to promise. No page is read again. See
        :func:`ohr.analysis.trust.table.trust`. Raises OhrError without answers.
        """
        from ohr.analysis.trust.table import trust

        return trust(self, metric, right, risks).signals

    def reread(
        self, *, engine: str = "", second: str = "gt", damage: str = "edit_distance"
    ) -> pd.DataFrame:
        """An engine's pages in the order in which to read them again, with a ``second``'s text.

        ``damage`` is a metric of pages, or ``garbage``, which needs no truth. See
        :func:`ohr.analysis.reread.table.reread`. Raises OhrError without answers.
        """
        from ohr.analysis.reread.table import reread

        return reread(self, engine, second, damage).pages

    def predictiveness(
        self, *further: results.StudyRun, metrics: Sequence[str] = (), groups: bool = False
    ) -> pd.DataFrame:
        """How well each metric of OCR quality predicts the loss under noise: rank correlations.

        ``metrics`` are the outcomes to predict. With ``groups``, also by domain, answer form and
        task. Raises OhrError without noise, without a clean condition, or without the stage ocr.
        """
        from ohr.analysis.predictiveness.table import predictiveness

        return predictiveness(self._and(further), metrics=metrics, groups=groups)

    def robustness(self, baseline: str = "") -> pd.DataFrame:
        """The share of its quality that each reader keeps under noise, with 95 % intervals.

        The ``baseline`` reader is by default the first.
        """
        from ohr.analysis.robustness.table import robustness

        return robustness(self, baseline)

    def errors(
        self,
        *further: results.StudyRun,
        right: float = 0.5,
        stage: str = "overall",
        axis: str = "",
    ) -> pd.DataFrame:
        """The shares of questions by whether OCR and answer are right, with intervals.

        An answer is right from an F1 of ``right`` in [0, 1]; ``stage`` is ``overall`` or
        ``generation``. ``axis`` is the r_noise that decides where OCR is wrong, by default
        the published one. Raises OhrError without the stage ocr or answers.
        """
        from ohr.analysis.error_analysis.table import case_shares, common_measures
        from ohr.display.choices import ANSWER_STAGES

        if stage not in ANSWER_STAGES:
            raise OhrError(f"unknown stage {stage!r}; known: {', '.join(ANSWER_STAGES)}")
        runs = self._and(further)
        first = common_measures(runs, axis)[0]
        shares = [case_shares(run, right, stage, first) for run in runs]
        return _joined(runs, shares)

    def realism(
        self, *further: results.StudyRun, natural: str = "", metric: str = "edit_distance"
    ) -> pd.DataFrame:
        """The errors of pages by engine and noise, beside natural noise: means and quartiles.

        ``natural`` is a pattern of the documents with natural noise, such as ``scans/*``. If their
        pages are also there with distortions, only these pages count. Raises OhrError without the
        metric of the stage ocr.
        """
        from ohr.analysis.realism.table import (
            differences,
            page_errors,
            select_same_pages,
            summarise,
        )

        pages = page_errors([run.path for run in self._and(further)], natural, metric)
        return summarise(select_same_pages(pages) if len(differences(pages)) else pages)

    def figure3(self, *further: results.StudyRun) -> pd.DataFrame:
        """The points of the paper's figure 3: each stage against both kinds of noise.

        Raises OhrError if no run has noise, or if two have the same engine at the same level.
        """
        from ohr.analysis.figure3.table import figure3_points

        return figure3_points(self._and(further))

    def judge(
        self,
        *further: results.StudyRun,
        judges: Sequence[object],
        number: int = 0,
        seed: int = 0,
        cache: Path | str = ".ohr-cache",
    ) -> pd.DataFrame:
        """Mean grades of systems' answers by language models, from 1 (worst) to 5, with intervals.

        ``judges`` are one reader or two that use a language model. ``number``: questions to draw at
        random with the ``seed``; 0: all. Judgements are kept in the ``cache``. Raises OhrError if
        no question was answered by two systems, or no answer was graded.
        """
        from ohr.analysis.judging.study import answers_of, grade_answers, judges_of
        from ohr.analysis.judging.table import mean_grades
        from ohr.registry import PluginSpec

        paths = [run.path for run in self._and(further)]
        specs = [PluginSpec.parse(judge) for judge in judges]  # type: ignore[arg-type]
        grades, _ = grade_answers(judges_of(specs, Path(cache)), answers_of(paths, number, seed))
        return mean_grades(grades)

    def review(self, *further: results.StudyRun, verdicts: Path | str) -> pd.DataFrame:
        """How metrics and the judge agree with a person's verdicts on answers.

        ``verdicts`` is the file that the review of a report saves. Raises OhrError if it has no
        verdict of an answer of these runs.
        """
        from ohr.analysis.review.table import agreement_with_person, reviewed_scores
        from ohr.questions.review import read_verdicts

        answers = read_verdicts(Path(verdicts)).answers
        scores = [reviewed_scores(run, answers) for run in self._and(further)]
        if not any(map(len, scores)):
            raise OhrError(f"{verdicts} has no verdict of an answer of these runs")
        return agreement_with_person(pd.concat(scores, ignore_index=True))

    def verdict(self) -> str:
        """What is lost to the engines on clean pages, and to noise: a sentence on each line."""
        from ohr.analysis.curves.table import axis_of
        from ohr.analysis.curves.verdict import clean_sentences, sentences

        is_noisy = (self.cells["noise"] != "none").any()
        return "\n".join(sentences(self, axis_of(self)) if is_noisy else clean_sentences(self))

    def recompute_cells(self) -> pd.DataFrame:
        """``cells.csv`` again, from ``rows.parquet`` and the manifest of the folder."""
        return results.recompute_cells(self.path)

    def attribution(self) -> pd.DataFrame:
        """The F1 lost to OCR, chunking, retrieval and the reader; needs the study's cache."""
        from ohr.analysis.attribution.table import make_losses

        return make_losses(self.plan, Progress())

    def error_kinds(
        self,
        engine: str = "",
        *,
        documents: int = 0,
        each: int = 0,
        orders: int = 2,
        seed: int = 0,
        kinds: Sequence[str] = (),
        halves: bool = True,
    ) -> pd.DataFrame:
        """What each kind of OCR error costs; needs the study's cache.

        ``engine`` is by default the only one; only ``documents`` and ``each`` questions of them are
        scored, by default all. ``kinds`` are undone one by one and all others together.
        Without ``halves`` no random half of a kind's errors is repaired. Raises OhrError.
        """
        from ohr.analysis.error_kinds.table import kind_costs

        return kind_costs(
            self.plan,
            Progress(),
            engine,
            documents=documents,
            each=each,
            orders=orders,
            seed=seed,
            kinds=kinds,
            by_place=False,
            halves=halves,
        ).losses

    def structure(self) -> pd.DataFrame:
        """How well each document's outline survives noise; needs the study's cache.

        One row per document, knowledge base and draw.
        """
        from ohr.analysis.structure.table import structure

        return structure(self.config, Progress())

    def _and(self, further: Sequence[results.StudyRun]) -> list[results.StudyRun]:
        """This run and further ones. Raises OhrError if one was given twice."""
        runs = [self, *further]
        results.check_distinct(run.path for run in runs)
        return runs


def _joined(runs: Sequence[results.StudyRun], frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One frame of several runs, with the run's name in the column ``run``."""
    names = results.run_names(runs)
    return pd.concat(
        [frame.assign(run=name) for frame, name in zip(frames, names, strict=True)],
        ignore_index=True,
    )


METHODS = {"cells": "recompute_cells"}
"""Commands of ``ohr analyse`` whose method has another name; ``noise-cost`` is ``noise_cost``."""


def method_of(command: str) -> str:
    """The name of the method of a command of ``ohr analyse``."""
    return METHODS.get(command, command.replace("-", "_"))
