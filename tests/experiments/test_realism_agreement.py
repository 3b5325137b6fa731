"""Whether losses under distortions agree with losses under natural noise."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from experiments.analyse_realism import main
from ohr.analysis.realism.agreement import agreement, document_correlations
from ohr.analysis.realism.agreement_report import _verb, sentences
from ohr.analysis.realism.losses import document_losses, nearest_by_tag, page_losses, shape, tags_of
from ohr.analysis.realism.table import page_errors
from ohr.errors import OhrError
from ohr.statistics import kendall_correlations
from tests.builders import CliRunner

ENGINES = ("a", "b", "c", "d")
DOCUMENTS = tuple(f"note_{number}" for number in range(6))
NATURAL = (0.2, 0.4, 0.6, 0.8)
"""The engines' losses under natural noise."""


def losses(**by_noise):
    """Every document loses what its engine does, and a little more than the document before."""
    return pd.DataFrame(
        [
            {"engine": engine, "noise": noise, "shows": document, "loss": loss + 0.01 * place}
            for noise, values in ({"natural": NATURAL} | by_noise).items()
            for engine, loss in zip(ENGINES, values, strict=False)
            for place, document in enumerate(DOCUMENTS)
        ]
    )


def rows(
    folder, photographs, distorted=(0.1, 0.2, 0.3, 0.4), metric="edit_distance", engines=ENGINES
):
    """A run: clean pages with an error of .1; ``photographs`` maps names to the first engine's
    loss, and each later engine loses .1 more.
    """
    errors = []
    pages = sorted({"_".join(name.split("_")[:2]) for name in photographs})
    for place, engine in enumerate(engines):
        errors += [(engine, "none", 0.0, page, 0.1) for page in pages]
        errors += [(engine, "warping", 1.0, page, 0.1 + distorted[place]) for page in pages]
        errors += [
            (engine, "none", 0.0, name, 0.1 + loss + 0.1 * place)
            for name, loss in photographs.items()
        ]
    names = ["engine", "perturbation", "intensity", "doc_id", "value"]
    frame = pd.DataFrame(errors, columns=names)
    if metric == "text_recall":
        frame["value"] = 1 - frame["value"]
    frame = frame.assign(level="", page_no=0, stage="ocr", metric=metric)
    folder.mkdir(exist_ok=True)
    frame.to_parquet(folder / "rows.parquet")
    return folder


TAGLESS = pd.DataFrame([{"tag": "all", "nearest": ""}])


def shape_of(frame):
    """The shares of lost pages of frames that :func:`losses` makes, with no clean page lost."""
    noises = ["clean", *frame["noise"].unique()]
    return pd.DataFrame({"engine": "all", "noise": noises, "lost": 0.0})


PHOTOGRAPHS = {f"{name}_{where}": 0.2 for name in DOCUMENTS for where in ("indoor", "outdoor")}


@pytest.mark.parametrize(
    ("distorted", "tau"),
    [((0.1, 0.2, 0.3, 0.4), 1), ((0.4, 0.3, 0.2, 0.1), -1), ((0.2, 0.4, 0.1, 0.3), 0)],
)
def test_tau_is_that_of_the_order_of_the_conditions(distorted, tau):
    table = agreement(losses(warping=distorted)).iloc[0]
    assert table["tau_b"] == pytest.approx(tau)
    assert table["natural_settled"] == table["pairs"] == 6  # all documents alike
    assert (table["same_order"] - table["opposite_order"]) / 6 == pytest.approx(tau)
    assert table["reason"] == ""
    assert table[["conditions", "documents"]].tolist() == [4, 6]
    assert table["natural_loss"] == pytest.approx(0.525)


def test_pairs_on_which_documents_disagree_are_not_settled():
    frame = losses(warping=(0.1, 0.2, 0.3, 0.4))
    odd = (frame["noise"] == "warping") & frame["shows"].isin(DOCUMENTS[:2])
    frame.loc[odd, "loss"] = 0.5 - 0.9 * frame.loc[odd, "loss"]
    table = agreement(frame).iloc[0]
    assert table["tau_b"] == pytest.approx(1)
    assert table["natural_settled"] == 6
    assert table["same_order"] == table["opposite_order"] == 0
    [sentence] = list(sentences(agreement(frame), shape_of(frame), TAGLESS))[:1]
    assert "are not shown to rank the 4 conditions" in sentence
    assert "of 6 pairs that natural noise settles it settles 0 alike, 6 documents" in sentence


def test_too_few_documents_or_conditions_are_not_assessed():
    frame = losses(warping=(0.1, 0.2, 0.3, 0.4))
    few = agreement(frame[frame["shows"].isin(DOCUMENTS[:4])]).iloc[0]
    assert np.isnan(few["tau_b"])
    assert few["reason"] == "documents: 4, at least 5 are needed"
    fewer = agreement(frame[frame["engine"] != "a"])
    assert fewer["reason"].tolist() == ["conditions: 3, at least 4 are needed"]
    table = document_correlations(frame[frame["shows"].isin(DOCUMENTS[:4])])
    assert table["spearman"].isna().all()
    assert np.isnan(agreement(losses(warping=(0.1,) * 4)).iloc[0]["tau_b"])


def test_only_documents_and_conditions_that_both_have_are_compared():
    frame = losses(warping=(0.1, 0.2, 0.3, 0.4), shadow=(0.1, 0.2, 0.3))
    frame = frame[(frame["noise"] != "warping") | (frame["shows"] != DOCUMENTS[0])]
    table = agreement(frame).set_index("noise")
    assert table["conditions"].to_dict() == {"warping": 4, "shadow": 3}
    assert table["documents"].to_dict() == {"warping": 5, "shadow": 6}


def test_spearman_is_within_a_condition_over_documents():
    frame = losses(warping=(0.1, 0.2, 0.3, 0.4))
    turned = (frame["engine"] == "d") & (frame["noise"] == "warping")
    frame.loc[turned, "loss"] = 1 - frame.loc[turned, "loss"]
    table = document_correlations(frame).set_index("engine")
    assert table["spearman"].to_dict() == pytest.approx({"a": 1, "b": 1, "c": 1, "d": -1})
    assert (table["ci_low"] < table["loss"]).all()


def test_photographs_of_a_document_are_averaged_before_documents(tmp_path):
    names = {"note_0_indoor": 0.0, "note_0_outdoor": 0.2, "note_0_bend": 0.4, "note_1_indoor": 0.6}
    frame = page_losses(page_errors([rows(tmp_path, names)], "*_*_*"))
    table = document_losses(frame).set_index(["engine", "noise", "shows"])["loss"].sort_index()
    assert table["a", "natural"].tolist() == pytest.approx([0.2, 0.6])
    assert table["b", "natural"].tolist() == pytest.approx([0.3, 0.7])
    assert table["a", "clean"].tolist() == pytest.approx([0, 0])


def test_the_share_of_lost_pages_counts_each_document_once(tmp_path):
    names = {"note_0_indoor": 0.7, "note_0_outdoor": 0.1, "note_1_indoor": 0.7}
    pages = page_errors([rows(tmp_path, names, engines=("a",))], "*_*_*")
    table = shape(page_losses(pages)).set_index(["engine", "noise"])
    assert table.loc[("a", "natural"), "lost"] == pytest.approx(0.75)
    assert table.loc[("a", "natural"), "outputs"] == 3
    assert table.loc[("all", "clean"), ["lost", "small_loss"]].tolist() == [0, 1]


def test_tags_are_what_follows_the_name_of_the_page():
    assert tags_of("x/note_shadow_1_indoor_light_bend-in", "y/note_shadow_1") == {"indoor", "bend"}
    assert tags_of("note_1_underexposure_flashlight-on", "note_1") == {"underexposure"}
    assert tags_of("note_1_sunbend", "note_1") == set()


def test_a_tag_names_the_nearest_distortion_unless_it_has_one_document(tmp_path):
    names = {"note_0_indoor": 0.05, "note_1_indoor_bend-in": 0.15, "note_1_outdoor": 0.3}
    table = nearest_by_tag(page_losses(page_errors([rows(tmp_path, names)], "*_*_*"))).set_index(
        "tag"
    )
    assert list(table.index) == ["all", "indoor", "outdoor", "bend"]
    assert table["documents"].tolist() == [2, 2, 1, 1]
    assert table["nearest"].tolist() == ["warping 1", "warping 1", "", ""]
    assert table.loc["indoor", "natural_loss"] == pytest.approx(0.1 + 0.15)
    assert table.loc["indoor", "nearest_loss"] == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("same", "opposite", "words"),
    [
        (6, 0, "rank"),
        (4, 0, "partly rank"),
        (6, 1, "partly rank"),
        (1, 1, "are not shown to rank"),
        (1, 5, "are not shown to rank"),
    ],
)
def test_noise_that_orders_as_many_pairs_the_other_way_is_not_said_to_rank(same, opposite, words):
    row = {"same_order": same, "opposite_order": opposite, "natural_settled": 10, "tau_b": 0.8}
    assert _verb(row) == words


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["edit_distance", "text_recall"])
def test_the_command_prints_the_agreement(tmp_path, metric):
    out = tmp_path / "out"
    run = rows(tmp_path / "run", PHOTOGRAPHS)
    if metric != "edit_distance":
        other = rows(tmp_path / "other", PHOTOGRAPHS, metric=metric)
        tables = [pd.read_parquet(folder / "rows.parquet") for folder in (run, other)]
        pd.concat(tables).to_parquet(run / "rows.parquet")
    arguments = [str(run), "--out", str(out), "--natural", "*_*_*", "--metric", metric]
    done = CliRunner().invoke(main, arguments, env={"COLUMNS": "100"})
    assert done.exit_code == 0, done.output
    agree, share, nearest, *_ = done.stdout.splitlines()
    assert agree == (
        "Mean losses under `warping 1` rank the 4 conditions like natural noise does: "
        "tau_b 1.00 (of 6 pairs that natural noise settles it settles 6 alike, 6 documents)."
    )
    assert share.startswith("Of the pages, 0 % are lost under natural noise, 0 % when clean")
    assert nearest.startswith("The mean loss under natural noise is 0.35 [0.35, 0.35]; nearest is")
    assert nearest.endswith("`warping 1` with 0.25; no distortion loses as much.")
    for name in ("agreement", "by_document", "by_tag", "losses", "shape"):
        assert len(pd.read_csv(out / f"{name}.csv"))
    assert (out / "figures" / "agreement.png").stat().st_size > 4000


def test_pages_and_their_photographs_may_be_in_different_runs(tmp_path):
    run = rows(tmp_path / "run", PHOTOGRAPHS)
    frame = pd.read_parquet(run / "rows.parquet")
    is_photograph = frame["doc_id"].isin(PHOTOGRAPHS)
    parts = [tmp_path / name for name in ("digital", "photographs", "again")]
    for part, chosen in zip(parts, (~is_photograph, is_photograph, ~is_photograph), strict=True):
        part.mkdir()
        frame[chosen].to_parquet(part / "rows.parquet")
    whole, joined = page_errors([run], "*_*_*"), page_errors(parts, "*_*_*")
    keys = ["engine", "noise", "doc_id"]
    pd.testing.assert_frame_equal(
        *(pages.sort_values(keys, ignore_index=True) for pages in (whole, joined))
    )


def test_a_metric_that_the_run_lacks_is_an_error(tmp_path):
    run = rows(tmp_path, PHOTOGRAPHS)
    with pytest.raises(OhrError, match="has no text_recall: its stages must include ocr"):
        page_errors([run], metric="text_recall")
    frame = pd.read_parquet(run / "rows.parquet").assign(qid="q", metric="r_noise")
    frame.to_parquet(run / "rows.parquet")
    with pytest.raises(OhrError, match="r_noise is a metric of questions"):
        page_errors([run], metric="r_noise")


def test_sentences_say_what_is_not_assessed(tmp_path):
    names = {"note_0_indoor": 0.7}
    frame = page_losses(page_errors([rows(tmp_path, names)], "*_*_*"))
    lines = list(sentences(agreement(document_losses(frame)), shape(frame), nearest_by_tag(frame)))
    assert lines[0] == ("The rank agreement is not assessed (documents: 1, at least 5 are needed).")
    assert lines[1] == (
        "Of the pages, 100 % are lost under natural noise, 0 % when clean, and none under any "
        "distortion."
    )
    assert lines[2] == "The nearest distortion is not assessed: there are too few documents."


def test_tau_b_is_that_of_scipy_also_with_ties():
    generator = np.random.default_rng(0)
    x, y = generator.integers(0, 4, (2, 50, 6)).astype(float)
    x[0] = 1.0
    expected = [kendalltau(*pair).statistic for pair in zip(x, y, strict=True)]
    assert kendall_correlations(x, y) == pytest.approx(expected, nan_ok=True)
