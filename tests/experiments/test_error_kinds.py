"""Errors undone by kind: the ends are the engine's and the truth's scores, and parts add up."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

import ohr
from experiments import analyse_error_kinds, ocr_benchmark
from ohr.analysis.attribution.table import swapping
from ohr.analysis.error_kinds.repairs import (
    PLACES,
    chosen_kinds,
    error_places,
    find_repairs,
    place_labels,
)
from ohr.analysis.error_kinds.scores import Scores, draw_questions, setting_of
from ohr.analysis.error_kinds.table import choose_variant
from ohr.errors import ConfigError
from ohr.ocr.noise import Noise
from ohr.ocr.progress import Silent
from ohr.ocr_errors.differences import Edit
from ohr.registry import PluginSpec
from ohr.study.loading import load_dataset
from ohr.study.plan import Variant
from ohr.study.results import open_run
from ohr.types import Page, PageRef, Question
from tests.builders import CliRunner, load_config, write_corpus, write_kb

OUTCOMES = ("retrieval:lcs", "retrieval:hit@2", "generation:f1", "overall:f1")


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """A run of the ground truth, and of pages with wrong letters, lost words and added ones."""
    root = tmp_path_factory.mktemp("corpus")
    settings = write_corpus(root)
    pages = load_dataset(load_config([*settings, "engines=[gt]"])).pages
    read: dict[str, list[str]] = {}
    for number, (ref, page) in enumerate(pages.items()):
        words = page.text.replace("answer", "answet").split(" ")
        del words[number % 3 :: 7]
        words.insert(1, "smudge")
        read.setdefault(ref.doc_id, []).append(" ".join(words))
    write_kb(root / "kb" / "Bad", read)
    out = root / "run"
    arguments = [*settings, "engines=[gt,precomputed:Bad]", "--out", str(out)]
    result = CliRunner().invoke(ocr_benchmark.main, arguments)
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture(scope="module")
def repaired(run_folder):
    run = open_run(run_folder)
    plan = draw_questions(run.plan, 0, 0, 0)
    with swapping(plan, Silent()) as swaps:
        [variant] = [each for each in plan.variants if each.engine.name != "gt"]
        read = swaps.knowledge_bases.knowledge_base(variant)
        repairs = find_repairs(plan, read, 0, Silent())
        yield run, repairs, Scores(plan, swaps.scorer, variant, setting_of(plan))


@pytest.mark.slow
def test_nothing_repaired_scores_as_the_engine_and_everything_as_the_truth(repaired):
    run, repairs, scores = repaired
    for kb, engine in (
        (repairs.knowledge_base(()), "precomputed:Bad"),
        (repairs.knowledge_base(repairs.all_labels), "gt"),
    ):
        column = scores.column(kb)
        for outcome in OUTCOMES:
            stage, metric = outcome.split(":")
            rows = run.rows
            rows = rows[
                (rows["engine"] == engine) & (rows["stage"] == stage) & (rows["metric"] == metric)
            ]
            expected = rows.set_index("qid")["value"]
            for question, value in zip(scores.plan.questions, column[outcome], strict=True):
                assert value == pytest.approx(expected[question.qid], abs=1e-12)


@pytest.mark.slow
def test_repairs_give_the_texts_of_both_ends(repaired):
    _, repairs, _ = repaired
    nothing = repairs.knowledge_base(())
    everything = repairs.knowledge_base(repairs.all_labels)
    for ref, page in repairs.plan.dataset.pages.items():
        assert nothing.text(ref) == repairs.read.text(ref)
        assert everything.text(ref) == page.text


@pytest.mark.slow
def test_a_half_is_part_of_the_whole_and_the_same_again(repaired):
    _, repairs, _ = repaired
    label = max(repairs.all_labels, key=repairs.count()[0].__getitem__)
    texts = [
        {ref: kb.text(ref) for ref in repairs.differences}
        for kb in (
            repairs.knowledge_base(()),
            repairs.knowledge_base((), half=label),
            repairs.knowledge_base((), half=label),
            repairs.knowledge_base([label]),
        )
    ]
    assert texts[1] == texts[2]
    assert texts[0] != texts[1] != texts[3]


@pytest.mark.slow
def test_errors_have_a_place(repaired):
    _, repairs, _ = repaired
    placed = repairs.relabelled(error_places(repairs.plan))
    assert placed.all_labels <= set(PLACES)
    assert sum(placed.count()[0].values()) == sum(repairs.count()[0].values())


@pytest.mark.slow
def test_distances_divide_the_errors_elsewhere_on_the_page(repaired):
    _, repairs, _ = repaired
    plain, divided = (
        repairs.relabelled(error_places(repairs.plan, distances)).count()[0]
        for distances in ((), (2, 10**6))
    )
    near, far = place_labels((2, 10**6))[1:3]
    assert {near: plain[PLACES[1]], PLACES[1]: 0} == {
        near: divided[near] + divided[far],
        PLACES[1]: divided[PLACES[1]],
    }
    assert [divided[place] for place in (PLACES[0], PLACES[2])] == [
        plain[place] for place in (PLACES[0], PLACES[2])
    ]


def test_a_distance_is_counted_in_words():
    truth = "one two three four\n\nfive six seven eight\n\nnine ten eleven twelve"
    ref = PageRef("report", 0)
    question = Question("q", "?", ("x",), "report", "law", (ref,), "one two three four", "text")
    pages = {ref: Page(ref, truth)}
    plan = SimpleNamespace(questions=[question], dataset=SimpleNamespace(pages=pages))
    place = error_places(plan, (1, 5))
    places = [
        place(ref, Edit("letters", 1, truth.index(word), truth.index(word) + len(word)))
        for word in ("two", "five", "six", "ten", "twelve")
    ]
    near, further = place_labels((1, 5))[1:3]
    assert places == [PLACES[0], near, near, further, PLACES[1]]


@pytest.mark.slow
def test_the_command_writes_parts_that_add_up(run_folder, tmp_path):
    arguments = [str(run_folder), "--out", str(tmp_path), "--orders", "1"]
    result = CliRunner().invoke(analyse_error_kinds.main, arguments)
    assert result.exit_code == 0, result.output
    for name in ("error_losses.csv", "error_places.csv"):
        table = pd.read_csv(tmp_path / name)
        for _, rows in table.groupby(["outcome", "group"]):
            assert rows["loss"].sum() == pytest.approx(rows["loss_of_all"].iloc[0], abs=1e-9)
    kinds = pd.read_csv(tmp_path / "error_kinds.csv").set_index("kind")
    assert kinds["share_of_characters"].sum() == pytest.approx(1)
    assert kinds.loc["text_added", "errors"] > 0
    assert "loss per question" in result.output
    assert ": most is lost to " in result.stdout.split("\n\n")[0], "the finding comes first"


@pytest.mark.slow
def test_python_gives_the_losses_of_the_command(run_folder, tmp_path):
    arguments = [str(run_folder), "--out", str(tmp_path), "--orders", "1"]
    assert CliRunner().invoke(analyse_error_kinds.main, arguments).exit_code == 0
    losses = ohr.open_run(run_folder).error_kinds(orders=1)
    expected = pd.read_csv(tmp_path / "error_losses.csv")
    assert list(losses["kind"]) == list(expected["kind"])
    assert losses["loss"].to_numpy() == pytest.approx(expected["loss"].to_numpy(), abs=1e-6)


@pytest.mark.slow
def test_some_kinds_are_undone_and_all_others_together(run_folder, tmp_path):
    arguments = [str(run_folder), "--out", str(tmp_path), "--orders", "1", "--kind", "letters"]
    result = CliRunner().invoke(analyse_error_kinds.main, arguments)
    assert result.exit_code == 0, result.output
    losses = pd.read_csv(tmp_path / "error_losses.csv")
    assert set(losses["kind"]) == {"letters", "rest"}
    for _, rows in losses.groupby(["outcome", "group"]):
        assert rows["loss"].sum() == pytest.approx(rows["loss_of_all"].iloc[0], abs=1e-9)
    every = ohr.open_run(run_folder).error_kinds(orders=1)
    wholes = [rows.groupby("outcome")["loss_of_all"].first() for rows in (losses, every)]
    assert dict(wholes[0]) == pytest.approx(dict(wholes[1]), abs=1e-6)
    assert set(pd.read_csv(tmp_path / "error_kinds.csv")["kind"]) == {"letters", "rest"}
    assert not (tmp_path / "error_places.csv").exists()


@pytest.mark.slow
def test_halves_may_be_left_out(run_folder):
    run = ohr.open_run(run_folder)
    some = run.error_kinds(orders=1, kinds=["letters"], halves=False)
    every = run.error_kinds(orders=1, kinds=["letters"])
    assert set(every) - set(some) == {"half", "half_ci_low", "half_ci_high", "half_p"}
    assert some.equals(every[list(some)])


def test_a_kind_that_there_is_not_is_named():
    with pytest.raises(ConfigError, match=r"--kind scribbles.*letters"):
        chosen_kinds(["letters", "scribbles"])


@pytest.mark.slow
def test_an_unknown_engine_is_named(run_folder, tmp_path):
    arguments = [str(run_folder), "--out", str(tmp_path), "--engine", "nobody"]
    result = CliRunner().invoke(analyse_error_kinds.main, arguments)
    assert result.exit_code != 0
    assert "precomputed:Bad" in result.output


def test_a_condition_is_named_as_in_tables():
    draws = [
        Variant(PluginSpec(name="tesseract"), noise, seed)
        for noise, seed in (
            (Noise(), 0),
            (Noise(PluginSpec(name="photocopy"), "mild", 0.25), 1),
            (Noise(PluginSpec(name="photocopy"), "mild", 0.25), 2),
        )
    ]
    plan = SimpleNamespace(variants=draws, engines={"tesseract": None})
    assert choose_variant(plan, "") == draws[0]
    assert choose_variant(plan, "tesseract", "photocopy mild") == draws[1]
    with pytest.raises(ConfigError, match=r"photocopy severe.*clean, photocopy mild"):
        choose_variant(plan, "", "photocopy severe")


@pytest.mark.slow
def test_the_command_divides_by_distance(run_folder, tmp_path):
    arguments = [str(run_folder), "--out", str(tmp_path), "--orders", "1", "--distance", "3"]
    result = CliRunner().invoke(analyse_error_kinds.main, arguments)
    assert result.exit_code == 0, result.output
    places = pd.read_csv(tmp_path / "error_places.csv")
    assert set(places["kind"]) <= set(place_labels((3,)))
    for _, rows in places.groupby(["outcome", "group"]):
        assert rows["loss"].sum() == pytest.approx(rows["loss_of_all"].iloc[0], abs=1e-9)
    many = [part for number in "1234" for part in ("--distance", number)]
    result = CliRunner().invoke(analyse_error_kinds.main, [str(run_folder), *many])
    assert result.exit_code != 0


@pytest.mark.slow
def test_documents_are_drawn_evenly_from_domains(run_folder):
    plan = open_run(run_folder).plan
    drawn = draw_questions(plan, 2, 0, 1)
    assert len({question.doc_id for question in drawn.questions}) == 2
    assert draw_questions(plan, 2, 0, 1).questions == drawn.questions
    assert len(draw_questions(plan, 0, 0, 1).questions) == len(plan.questions)
    one = [question.doc_id for question in draw_questions(plan, 0, 1, 1).questions]
    assert len(one) == len(set(one)) == len({question.doc_id for question in plan.questions})
