"""The mitigation bench: its arms, its table, and the command."""

from __future__ import annotations

import os
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.mitigations import main
from ohr import registry
from ohr.analysis.mitigations.arms import Arm, bench_of
from ohr.analysis.mitigations.costs import arm_costs
from ohr.analysis.mitigations.table import compared, unpaired_lines, won_back
from ohr.errors import ConfigError, OhrError
from ohr.plugins import ImageRepair, OcrBackend
from ohr.store.identity import pixel_digest
from ohr.study.metrics import metric_info
from ohr.study.results import open_run
from tests import fakes
from tests.builders import CliRunner, load_config, write_corpus
from tests.examples import examples

HERE = "tests.experiments.test_mitigations"
LOGGING, WORDS = f"{HERE}.Dark", f"{HERE}.Bright"
IDENTITY = Arm("identity", "e", "r", "e", "r")
ORACLE = Arm("oracle", "e", "r", "e", "r")
FIXED = Arm("fixed", "e", "r", "e + fixed", "r")


class Whitens(ImageRepair):
    """Makes pages white."""

    name = "whitens"

    def repair(self, image: np.ndarray) -> np.ndarray:
        return np.full_like(image, 255)


class Dark(OcrBackend):
    """Counts dark pixels, and logs each page that it reads."""

    name = "dark"

    def read(self, image: np.ndarray) -> str:
        with open(os.environ[fakes.LOG], "a") as log:
            log.write(f"{self.name} {pixel_digest(image)}\n")
        return f"Fact 1 is answer 1. {self.name} pixels: {int((image < 128).sum())}."


class Bright(Dark):
    """The same under another name."""

    name = "bright"


WHITENS = f"{HERE}.Whitens"


def config(*settings):
    return load_config([f"engines=[{LOGGING}]", "noise=[salt_and_pepper]", *settings])


def test_arms_are_engines_and_retrievers():
    bench = bench_of(
        config(), f"identity,light,light+vote,ngrams,{WHITENS},{{name: clean, label: c}}", WORDS
    )
    assert [(arm.name, arm.engine, arm.retriever) for arm in bench.arms] == [
        ("identity", LOGGING, "bm25"),
        ("light", f"{LOGGING} + light", "bm25"),
        ("light+vote", f"{LOGGING} + light+vote", "bm25"),
        ("ngrams", LOGGING, "bm25 + ngrams"),
        (WHITENS, f"{LOGGING} + {WHITENS}", "bm25"),
        ("c", f"{LOGGING} + c", "bm25"),
    ]
    assert [spec.label for spec in bench.config.retrievers] == ["bm25", "bm25 + ngrams"]
    for spec in bench.config.engines:
        registry.create("engine", spec).identity()


@pytest.mark.parametrize(
    ("settings", "arms", "message"),
    [
        (["engines=[gt]"], "light", "reads page images"),
        ([], "nothing", "unknown mitigation 'nothing'"),
        ([], "ngrams:5", "takes no argument"),
        (["retrievers=[oracle]"], "ngrams", "changes bm25"),
        ([], "light+oracle", "cannot be joined"),
        ([], "vote+add_words", "fuses texts twice"),
        ([], "vote+light", "repairs images first"),
        (["stages=[ocr]"], "ngrams", "the study has no retrieval"),
        ([f"engines=[{WORDS}]"], "vote", "is itself the second engine"),
    ],
)
def test_what_cannot_be_an_arm_is_refused(settings, arms, message):
    with pytest.raises(ConfigError, match=message):
        bench_of(config(*settings), arms, WORDS)


def test_an_arm_for_another_retriever_is_left_out():
    bench = bench_of(config("retrievers=[bm25,oracle]"), "light,ngrams", WORDS)
    assert bench.left_out == ("ngrams: ngrams changes bm25, not the retriever 'oracle'",)
    assert [(arm.name, arm.base_retriever) for arm in bench.arms] == [
        ("light", "bm25"), ("light", "oracle"), ("ngrams", "bm25"),
    ]  # fmt: skip


def test_the_second_engine_may_have_parameters():
    bench = bench_of(config(), "add_words", "{name: tesseract, params: {psm: 6}, label: block}")
    [arm] = bench.arms
    [fused] = [spec for spec in bench.config.engines if spec.label == arm.engine]
    assert fused.params["engines"][1]["params"] == {"psm": 6}
    with pytest.raises(ConfigError, match="--second"):
        bench_of(config(), "add_words", "{name: tesseract")


def test_an_arm_that_does_not_apply_is_named():
    bench = bench_of(config("stages=[ocr]"), "light,ngrams", WORDS)
    assert bench.left_out == ("ngrams: the study has no retrieval",)
    assert [spec.label for spec in bench.config.retrievers] == ["bm25"]


def a_run(scores, metric="lcs", documents=12):
    """A run with these scores: (engine, noise) -> one per document; two pages of each."""
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.01, documents)
    records = [
        {"engine": engine, "perturbation": point, "doc_id": f"d{document}", "page_no": page,
         "value": value + noise[document], "groups": '["source:table"]' if page else "[]"}
        for (engine, point), value in scores.items()
        for document in range(documents)
        for page in range(2)
    ]  # fmt: skip
    stage = "retrieval" if metric == "lcs" else "ocr"
    rows = pd.DataFrame(records).assign(
        level="", intensity=1.0, retriever="r" if metric == "lcs" else "", stage=stage,
        metric=metric, qid="", top_k=2, status="ok", reader="",
    )  # fmt: skip
    infos = [metric_info(stage, metric)]
    return SimpleNamespace(rows=rows, metric_infos=infos, config=SimpleNamespace(top_k=2))


SCORES = {
    ("e", "none"): 0.9, ("e", "shadow"): 0.5, ("e + fixed", "none"): 0.85,
    ("e + fixed", "shadow"): 0.7,
}  # fmt: skip


def test_identity_wins_nothing_back_and_the_oracle_everything():
    table = won_back(a_run(SCORES), [IDENTITY, ORACLE, FIXED])
    rows = table[table["group"] == "all"].set_index("arm")
    assert rows["share"].to_list() == pytest.approx([0.0, 1.0, 0.5])
    assert rows["loss"].to_list() == pytest.approx([0.4] * 3)
    assert rows["harm"].to_list() == pytest.approx([0.0, 0.0, 0.05])
    assert rows.loc["identity", "share_low":"share_high"].to_list() == [0.0, 0.0]
    assert rows.loc["oracle", "share_low":"share_high"].to_list() == pytest.approx([1.0, 1.0])
    assert rows.loc["fixed", "p_adjusted"] == rows.loc["fixed", "p"] < 0.01  # the only test
    assert rows.loc[["identity", "oracle"], "p"].isna().all()
    assert set(table["group"]) == {"all", "source:table"}


def test_errors_are_signed_as_scores_are():
    errors = {key: 1 - value for key, value in SCORES.items()}
    rows = won_back(a_run(errors, "edit_distance"), [FIXED])
    first = rows.iloc[0]
    assert (first["clean"], first["noisy"]) == pytest.approx((0.1, 0.5), abs=0.01)
    assert (first["loss"], first["gain"], first["harm"]) == pytest.approx((0.4, 0.2, 0.05))


def test_without_a_loss_there_is_nothing_to_win_back():
    same = dict.fromkeys(SCORES, 0.5)
    assert won_back(a_run(same), [FIXED])["share"].isna().all()


def test_a_share_is_shown_whether_or_not_the_loss_is_significant():
    """Six documents lose .4 and six gain .2: a loss of .1, whose interval contains 0."""
    run = a_run(SCORES)
    even = run.rows["doc_id"].str[1:].astype(int) % 2 == 0
    change = even & (run.rows["perturbation"] == "shadow")
    run.rows.loc[change, "value"] += 0.6
    row = won_back(run, [FIXED]).iloc[0]
    assert row["loss"] == pytest.approx(0.1)
    assert row["loss_low"] < 0
    assert row["share"] == pytest.approx(row["gain"] / row["loss"])
    assert np.isneginf(row["share_low"])
    assert np.isposinf(row["share_high"])


def test_an_arm_that_only_searches_otherwise_has_no_page_texts():
    arm = Arm("ngrams", "e", "r", "e", "r + ngrams")
    assert won_back(a_run(SCORES, "edit_distance"), [arm]).empty


def test_stages_without_a_retriever_are_tested_once_under_several():
    arms = [Arm("fixed", "e", name, "e + fixed", name) for name in ("r", "other")]
    table = won_back(a_run(SCORES, "edit_distance"), arms)
    assert len(table[table["group"] == "all"]) == 1
    assert (table["p_adjusted"] == table["p"]).all()


def test_photographs_are_compared_with_the_pages_that_they_show():
    run = a_run({("e", "none"): 0.9, ("e + fixed", "none"): 0.85}, "edit_distance")
    photographs = run.rows.assign(
        doc_id=run.rows["doc_id"] + "_outdoor",
        value=run.rows["value"] - np.where(run.rows["engine"] == "e", 0.4, 0.15),
    )
    run.rows = pd.concat([run.rows, photographs], ignore_index=True)
    table = won_back(run, [FIXED], "*_outdoor")
    first = table.iloc[0]
    assert first["noise"] == "natural"
    assert (first["loss"], first["gain"]) == pytest.approx((-0.4, -0.2))
    assert unpaired_lines(run, "*_outdoor") == []
    run.rows["doc_id"] = run.rows["doc_id"].replace("d0_outdoor", "other_outdoor")
    assert unpaired_lines(run, "*_outdoor") == [
        "other_outdoor: no other document shows these pages"
    ]
    assert won_back(run, [FIXED], "*_outdoor").iloc[0]["n_documents"] == 11
    with pytest.raises(OhrError, match="no document matches"):
        won_back(run, [FIXED], "*.tiff")


@examples(60)
@given(st.lists(st.tuples(*[st.floats(0, 1)] * 4), min_size=1, max_size=12))
def test_gain_loss_and_harm_are_differences(scores):
    columns = ["clean", "noisy", "with_arm", "clean_with_arm"]
    names = [("", f"d{n % 5}", n) for n in range(len(scores))]
    index = pd.MultiIndex.from_tuples(names, names=["qid", "doc_id", "page_no"])
    frame = pd.DataFrame(scores, index=index, columns=columns)
    result = compared(frame)
    means = frame.mean()
    assert result["gain"] == pytest.approx(means["with_arm"] - means["noisy"])
    assert result["loss"] == pytest.approx(means["clean"] - means["noisy"])
    assert result["harm"] == pytest.approx(means["clean"] - means["clean_with_arm"])
    if not np.isnan(result["share"]):
        assert result["share"] * result["loss"] == pytest.approx(result["gain"])


@pytest.mark.slow
def test_the_command_reads_each_page_once(tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv(fakes.LOG, str(log))
    settings = write_corpus(tmp_path, documents=3, pages=2)
    arguments = [
        *settings, f"engines=[{LOGGING}]", "noise=[salt_and_pepper]", "intensities=[1]",
        "seeds=0", "workers=1", "dpi=40", f"cache={tmp_path / 'cache'}", "--arms",
        f"identity,oracle,ngrams,add_words,read_from,{WHITENS}", "--second", WORDS, "--out",
        str(tmp_path / "run"),
    ]  # fmt: skip
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    table = pd.read_csv(tmp_path / "run" / "mitigations.csv")
    arms = {"identity", "oracle", "ngrams", "add_words", "read_from", WHITENS}
    assert set(table["arm"]) == arms
    assert set(table[table["arm"] == "read_from"]["stage"]) == {"overall"}
    assert (tmp_path / "run" / "figures" / "mitigations.png").exists()
    costs = pd.read_csv(tmp_path / "run" / "mitigation_costs.csv")
    assert set(costs["arm"]) == {"add_words", WHITENS}
    added = costs[costs["arm"] == "add_words"].set_index("noise")
    assert (added["words"] > 0).all()
    assert added["words_added"].between(0, 1).all()
    arm = Arm("add_words", LOGGING, "bm25", f"{LOGGING} + add_words", "bm25")
    photographs = arm_costs(open_run(tmp_path / "run", trust_code=True), [arm], "law/*").set_index(
        "noise"
    )
    assert set(photographs.index) == {"clean", "natural", "salt_and_pepper 1"}
    numbers = photographs["numbers"]
    assert numbers["clean"] + numbers["natural"] == added.loc["clean", "numbers"]
    assert (photographs["numbers_changed"] == 0).all()
    readings = log.read_text().splitlines()
    assert len(readings) == len(set(readings))  # no engine reads the same pixels twice
    assert {line.split()[0] for line in readings} == {"dark", "bright"}
    assert "identity" in result.output
    assert "mitigations.csv, mitigation_costs.csv, figures/" in result.output
