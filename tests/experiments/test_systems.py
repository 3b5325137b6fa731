"""Whole systems beside each other: what each loses, through which part, and what it took."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

import ohr
from experiments.attribution import main as attribution
from experiments.systems import main
from ohr.analysis.systems.report import least_lines
from ohr.analysis.systems.table import Scored
from ohr.markup.outline.read import document_tree
from ohr.study.metrics import metric_info
from tests.builders import CliRunner, qa, write_kb, write_questions


class BySection(ohr.System):
    """Reads the amount in the section that the question names."""

    name = "by_section"
    finds_by_heading = True

    def answer(self, question: str, documents: Sequence[ohr.Document]) -> ohr.Outcome[ohr.Answer]:
        wanted = re.findall(r"about (\w+)", question)[0]
        for document in documents:
            tree = document_tree(document)
            for section in tree.sections:
                text = tree.section_text(section)
                found = section.title if self.finds_by_heading else text
                if wanted in found.lower():
                    amount = re.search(r"answer \w+", text)
                    page = tree.pages[section.start.page].ref
                    return ohr.Outcome(ohr.Answer(amount[0] if amount else "-", sources=(page,)))
        return ohr.Outcome(ohr.Answer("nothing"))


class ByWords(BySection):
    """The same by the words of the section."""

    name = "by_words"
    finds_by_heading = False


NAMED = {"BySection": "heading", "ByWords": "words"}
TOPICS = ["rent", "wages", "fuel", "paper", "tolls", "trips"]


def pages(text: str) -> dict[str, list[str]]:
    return {f"law/doc{n}": [text.format(topic=topic, n=n)] for n, topic in enumerate(TOPICS)}


@pytest.fixture
def settings(tmp_path):
    kb = tmp_path / "kb"
    write_kb(kb / "gt", pages("# On {topic}\n\nIt says answer {n} of the {topic}."))
    write_kb(kb / "flat", pages("On {topic}\nit says answer {n} of the {topic}."))
    write_kb(kb / "misread", pages("# On {topic}\n\nIt says answer none of the {topic}."))
    write_kb(kb / "renamed", pages("# On t0pics\n\nIt says answer {n} of the {topic}."))
    entries = [
        qa(n, f"law/doc{n}", 0, questions=f"What is said about {topic}?", answers=f"answer {n}")
        for n, topic in enumerate(TOPICS)
    ]
    write_questions(tmp_path / "qas.json", entries)
    heading, words = (f"{{name: {__name__}.{c}, label: {label}}}" for c, label in NAMED.items())
    return [
        "dataset.kind=ohrbench",
        f"dataset.path={kb}",
        f"dataset.questions={tmp_path / 'qas.json'}",
        f"cache={tmp_path / 'cache'}",
        "workers=1",
        "engines=[gt,precomputed:flat,precomputed:misread,precomputed:renamed]",
        f"systems=[rag,{heading},{words}]",
    ]


def run(*arguments: object) -> str:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.slow
def test_losses_of_each_system_stand_beside_those_of_the_first(settings, tmp_path):
    output = run(*settings, "--out", tmp_path / "out")
    table = pd.read_csv(tmp_path / "out" / "systems.csv")
    f1 = table[table["metric"] == "f1"].set_index(["knowledge_base", "system"])
    assert list(dict.fromkeys(table["system"])) == ["rag", "heading", "words"]
    heading = f1.xs("heading", level="system")
    assert heading["mean"].to_dict() == {
        "gt, clean": 1.0,
        "precomputed:flat, clean": 0.0,
        "precomputed:misread, clean": 0.5,
        "precomputed:renamed, clean": 0.0,
    }
    assert heading.loc["precomputed:flat, clean", "drop"] == 1
    assert heading.loc["gt, clean", ["drop", "clean"]].isna().all()
    assert f1.loc[("precomputed:renamed, clean", "words"), "drop"] == 0
    letters = table[(table["metric"] == "f1")].set_index(["knowledge_base", "system"])["letters"]
    assert "a" in letters["gt, clean", "heading"], "nothing has a better mean"
    assert "conditions that share a letter" in output.lower()
    flat = f1.loc["precomputed:flat, clean"]
    less = flat.loc["heading", "drop"] - flat.loc["rag", "drop"]
    assert flat.loc["heading", "drop_less_first"] == pytest.approx(less)
    least = flat["drop"].min()
    assert flat.loc["heading", "drop_less_least"] == pytest.approx(
        flat.loc["heading", "drop"] - least
    )
    assert (flat["drop_less_least_p"] <= 0.05).eq(flat["drop_less_least_low"] > 1e-9).all()
    assert flat["n"].unique() == [6]
    assert (
        "precomputed:renamed, clean: rag loses least answer F1, whole system (0.00). "
        "Shown to lose more: heading (by 1.00 to 1.00). No significant "
        "difference from rag: words (none larger than 0.79)."
    ) in " ".join(output.split())
    assert "family: all 9 comparisons of two systems" in output
    assert "p and intervals: the 9 comparisons of this column together" in " ".join(output.split())
    costs = pd.read_csv(tmp_path / "out" / "system_costs.csv").set_index("system")
    assert costs.loc["words", "answers"] == 24
    # The built-in system's reader has a note, too.
    assert "\nextractive: a linear model" in output
    drawn = (tmp_path / "out" / "figures" / "systems.svg").read_text("utf-8")
    assert "extractive: a linear" in drawn


@pytest.mark.slow
def test_the_loss_is_shared_out_among_structure_finding_and_reading(settings, tmp_path):
    run(*settings, "--out", tmp_path / "out", "--parts")
    table = pd.read_csv(tmp_path / "out" / "system_parts.csv")
    lost = table[table["group"] == "all"].pivot_table(
        index=["engine", "system"], columns="part", values="f1_lost"
    )
    # What is found by its heading is lost with the heading, what is found by its words with it
    # too, as there is no section without one; the words of the answer are lost in reading.
    for system in ("heading", "words"):
        misread = lost.loc[("precomputed:misread", system)]
        assert misread["reading"] == pytest.approx(0.5)
        assert misread[["structure", "finding", "rest"]].abs().max() < 1e-9
    flat = lost.loc[("precomputed:flat", "heading")]
    assert flat["structure"] > 0.3
    assert flat.drop("structure").sum() == pytest.approx(1 - flat["structure"])
    renamed = lost.loc[("precomputed:renamed", "words")]
    assert renamed.abs().max() < 1e-9
    by_engine = lost.groupby(level="engine").sum().sum(axis=1)
    assert by_engine["precomputed:misread"] == pytest.approx(1.0)
    assert (tmp_path / "out" / "figures" / "system_parts.png").exists()


@pytest.mark.slow
def test_attribution_shares_out_systems_too(settings, tmp_path):
    arguments = [*settings, "dataset.limit=3", "--out", tmp_path / "out"]
    result = CliRunner().invoke(attribution, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    built_in = pd.read_csv(tmp_path / "out" / "attribution.csv")
    assert set(built_in["reader"]) == {"extractive"}
    parts = pd.read_csv(tmp_path / "out" / "system_parts.csv")
    assert set(parts["system"]) == {"heading", "words"}


@pytest.mark.slow
def test_a_study_of_the_built_in_system_alone_has_no_parts(settings, tmp_path):
    output = run(*settings, "systems=[rag]", "--out", tmp_path / "out", "--parts")
    assert "no loss to attribute" in output
    assert not (tmp_path / "out" / "figures" / "system_parts.png").exists()


def test_systems_that_lose_more_are_named_once_it_is_shown():
    """Under one of two noises a system loses more; p is of both noises together."""
    rng = np.random.default_rng(0)
    documents = np.repeat(np.arange(12), 4)
    questions = pd.DataFrame({"doc_id": documents.astype(str), "page_no": 0.0})
    columns = {"engine": "gt", "perturbation": "formatting", "intensity": 0.1, "level": ""}
    bases = {"gt, clean": pd.Series(columns | {"noise": "none", "perturbation": "none"})}
    values = {}
    for name, lost in {"a": 0.0, "b": 0.005, "c": 0.4}.items():
        values[name, "gt, clean"] = rng.uniform(0.4, 0.6, 48)
        for base, share in {"gt, mild": 0.0, "gt, severe": 1.0}.items():
            bases[base] = pd.Series(columns | {"noise": "formatting", "level": base[4:]})
            values[name, base] = values[name, "gt, clean"] - rng.normal(share * lost, 0.02, 48)
    one = Scored(metric_info("overall", "f1"), questions, values, bases)
    mild, severe, family = least_lines(one)
    assert "Shown to lose more" not in mild
    assert "Shown to lose more: c (by 0.3" in severe
    assert re.search(r"No significant difference from [ab]: [ab] \(none larger than 0\.0", severe)
    assert family.startswith("family: all 6 comparisons of two systems")
