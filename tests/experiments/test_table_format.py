from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from experiments.papers.table_format import figure
from experiments.papers.table_format.figure import format_figure
from experiments.papers.table_format.report import format_table, report
from experiments.papers.table_format.table import count_losses, main_setting, paired_differences
from experiments.table_format import main
from ocr_backends.gt import GroundTruth, GroundTruthParams
from ohr import registry
from ohr.display.choices import TABLE_FORMATS
from ohr.errors import ConfigError
from ohr.markup.tables import parse_tables
from ohr.ocr.progress import Progress
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.run import run_study
from tests.builders import CliRunner, load_config, qa, write_corpus, write_kb, write_questions
from tests.experiments.figures.test_geometry import check_texts

ENGINES = "engines=[{}]".format(
    ", ".join(f"{{name: gt, params: {{tables: {name}}}, label: {name}}}" for name in TABLE_FORMATS)
)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Pages with a table each, whose rows are the evidence."""
    root = tmp_path_factory.mktemp("tables")
    rows = [
        [
            rf"Item {10 * d + p} & \multicolumn{{2}}{{c}}{{{d} euros}} \\ & \$ {p} & x"
            for p in range(3)
        ]
        for d in range(4)
    ]
    write_kb(
        root / "kb/gt",
        {
            f"law/doc{d}": [
                rf"Words. \begin{{tabular}}{{lcc}} \hline {row} \\ \end{{tabular}} More."
                for row in page
            ]
            for d, page in enumerate(rows)
        },
    )
    write_questions(
        root / "qas.json",
        [
            qa(
                10 * d + p, f"law/doc{d}", p, evidence_source="table", evidence_context=row,
                questions=f"What does item {10 * d + p} cost?", answers=f"{d} euros",
            )
            for d, page in enumerate(rows)
            for p, row in enumerate(page)
        ],
    )  # fmt: skip
    settings = [
        "dataset.kind=ohrbench", f"dataset.path={root / 'kb'}", f"cache={root / 'cache'}",
        f"dataset.questions={root / 'qas.json'}", ENGINES,
    ]  # fmt: skip
    return run_study(load_config(settings), root / "run", progress=Progress())


@pytest.mark.slow
def test_each_knowledge_base_has_its_tables_in_one_format(study):
    for name in TABLE_FORMATS:
        pages = study.plan.engines[name].knowledge_base(study.plan.dataset).pages
        formats = {t.format for page in pages.values() for t in parse_tables(page.value)}
        assert formats == {name}
    assert GroundTruth().text(r"\begin{tabular}{c} a \end{tabular}").startswith(r"\begin")
    assert GroundTruth().identity() != GroundTruth(GroundTruthParams(tables="html")).identity()


def test_formats_differ_in_the_words_as_they_stand_and_not_without_mark_up(study):
    cells = study.cells[(study.cells["group"] == "source:table")]
    by_format = {
        metric: cells[cells["metric"] == metric].set_index("engine")["mean"].to_dict()
        for metric in ("lcs", "lcs_stripped", "edit_distance", "r_noise_content")
    }
    assert by_format["lcs"]["latex"] > by_format["lcs"]["html"]
    assert len(set(by_format["lcs_stripped"].values())) == 1
    assert by_format["edit_distance"]["latex"] == 0 < by_format["edit_distance"]["html"]
    assert set(by_format["r_noise_content"].values()) == {0.0}


@pytest.mark.slow
def test_report_prints_writes_and_draws(study, capsys):
    report(study)
    printed = capsys.readouterr().out
    assert all(name in printed for name in (*TABLE_FORMATS, "merged cells", "without mark-up"))
    differences = pd.read_csv(study.path / "differences.csv")
    rows = pd.read_parquet(study.path / "rows.parquet")
    lcs = rows[rows["metric"] == "lcs"].groupby("engine", observed=True)["value"].mean()
    found = differences[differences["metric"] == "lcs"].set_index("format")
    assert set(found.index) == {"markdown", "html"}
    for name, row in found.iterrows():
        assert row["less"] == "latex"
        assert row["mean"] == pytest.approx(lcs[name] - lcs["latex"], abs=1e-6)
        assert row["ci_low"] <= row["mean"] <= row["ci_high"]
        assert (row["n"], row["ci_unit"]) == (12, "document")
    losses = pd.read_csv(study.path / "losses.csv").set_index(["format", "what"])["tables"]
    assert losses["latex", "tables"] == losses["markdown", "merged cells"] == 12
    assert ("html", "merged cells") not in losses.index
    assert losses["html", "lines"] == 12
    assert len(count_losses(study)) == len(losses)


@pytest.mark.slow
def test_the_figure_repeats_to_the_byte(study, tmp_path):
    cells = study.cells[study.cells["group"] == "source:table"]
    changes = paired_differences(study, cells)
    first, second = (format_figure(cells, changes, tmp_path / name) for name in ("one", "two"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    svg, notes = first[1].read_text(), first[2].read_text()
    assert all(f">{name}<" in svg for name in ("markdown", "html"))
    assert svg.count(">change from latex (better →)<") == 2
    assert "n = 12 questions about tables; 95 % intervals for further documents" in notes
    assert "paired changes from latex" in notes
    assert "comparisons of each metric together" in notes


@pytest.mark.slow
@pytest.mark.arranged
def test_the_figure_has_the_paired_changes_with_their_intervals(study, tmp_path, monkeypatch):
    cells = study.cells[study.cells["group"] == "source:table"]
    changes = paired_differences(study, cells)
    saved = []
    monkeypatch.setattr(figure, "save", lambda made, *_, **__: saved.append(made) or [])
    format_figure(cells, changes, tmp_path)
    format_figure(cells, changes.iloc[:0], tmp_path)
    (made,) = saved  # without changes nothing is drawn
    titles = [panel.get_title() for panel in made.axes]
    assert titles == ["retrieval LCS", "answer F1, whole system"]
    lcs = changes[changes["metric"] == "lcs"].set_index("format")
    panel = made.axes[0]
    marks = [line for line in panel.lines if line.get_marker() not in ("None", None)]
    assert [float(mark.get_xdata()[0]) for mark in marks] == pytest.approx(list(lcs["mean"]))
    ends = [bar.get_paths()[0].vertices[:, 0] for bar in panel.collections]
    assert np.allclose(ends, lcs[["ci_low", "ci_high"]])
    made.draw_without_rendering()
    check_texts(made)


@pytest.mark.slow
def test_whole_systems_have_rows_of_their_own(study, tmp_path):
    cells = study.cells[study.cells["group"] == "source:table"]
    answers = cells[cells["stage"] == "overall"]
    nothing = {"chunker": "", "retriever": "", "reader": "", "top_k": pd.NA}
    whole = answers.assign(system="whole", mean=answers["mean"] / 2, **nothing)
    both = pd.concat([cells, whole], ignore_index=True)
    differences = paired_differences(study, cells)
    differences = pd.concat([differences, differences.assign(system="whole", **nothing)])
    table = format_table(both, differences)
    names, means = ([str(cell) for cell in table.columns[position].cells] for position in (1, -1))
    assert names == ["bm25, extractive", "whole"] * 3
    f1 = answers[answers["metric"] == "f1"]["mean"]
    expected = [f"{mean:.3f}" for pair in zip(f1, f1 / 2, strict=True) for mean in pair]
    assert [text.split(" ")[-1] for text in means] == expected
    assert [text.count(";") for text in means] == [0, 0, 1, 1, 1, 1]
    svg = format_figure(both, differences, tmp_path)[1].read_text()
    assert [svg.count(f">{name}, whole<") for name in ("markdown", "html")] == [1, 1]


@pytest.mark.slow
def test_one_format_alone_is_reported(study, tmp_path, capsys):
    config = study.config.model_copy(update={"engines": study.config.engines[:1]})
    report(run_study(config, tmp_path / "run"))
    assert "latex" in capsys.readouterr().out
    assert pd.read_csv(tmp_path / "run/differences.csv").empty


def test_a_dataset_without_tables_is_refused(tmp_path):
    settings = [*write_corpus(tmp_path), f"cache={tmp_path / 'cache'}"]
    done = CliRunner().invoke(main, [*settings, "--out", str(tmp_path / "run")])
    assert done.exit_code == 2
    assert "dataset.sources: no question on table; there: text" in done.output


def test_an_unknown_format_is_refused():
    with pytest.raises(ConfigError, match="tables"):
        registry.create("engine", {"name": "gt", "params": {"tables": "word"}})


def test_questions_on_some_sources_only(tmp_path):
    write_kb(tmp_path / "kb/gt", {"law/a": ["Fact 0 is answer 0.", "Fact 1 is answer 1."]})
    entries = [qa(0, "law/a", 0), qa(1, "law/a", 1, evidence_source="table")]
    write_questions(tmp_path / "qas.json", entries)
    config = load_config(
        [
            "dataset.kind=ohrbench", f"dataset.path={tmp_path / 'kb'}", "dataset.sources=table",
            f"dataset.questions={tmp_path / 'qas.json'}",
        ]
    )  # fmt: skip
    plan = make_plan(config, load_dataset(config))
    assert [question.qid for question in plan.questions] == ["q1"]
    assert len(plan.reread) == 2  # every page is in the knowledge base all the same


@pytest.mark.slow
def test_several_numbers_of_hits_and_chunkers(study, tmp_path):
    config = study.plan.config.model_copy(update={"ks": (1, 2)})
    two = [{"name": "tokens"}, {"name": "tokens", "params": {"size": 20}, "label": "small"}]
    config = type(config).model_validate(config.model_dump() | {"chunkers": two})
    result = run_study(config, tmp_path / "run", progress=Progress())
    report(result)
    differences = pd.read_csv(result.path / "differences.csv", keep_default_na=False)
    lcs = differences[(differences["metric"] == "lcs") & (differences["format"] == "html")]
    assert sorted(zip(lcs["chunker"], lcs["top_k"].astype(str), strict=True)) == [
        *(("small", "1"), ("small", "2"), ("tokens", "1"), ("tokens", "2"))
    ]
    assert set(main_setting(lcs, 2)["chunker"]) == {"tokens"}


def test_only_questions_that_count_on_both_sides(tmp_path):
    pages = ["Words.", r"\begin{tabular}{c} Fact 1 is answer 1. \\ \end{tabular}"]
    write_kb(tmp_path / "kb/gt", {"law/a": pages})
    write_questions(
        tmp_path / "qas.json", [qa(n, "law/a", 1, evidence_source="table") for n in (1, 7)]
    )
    settings = [
        "dataset.kind=ohrbench", f"dataset.path={tmp_path / 'kb'}", "scoring=reference",
        f"dataset.questions={tmp_path / 'qas.json'}", f"cache={tmp_path / 'cache'}", ENGINES,
        "readers=[tests.fakes.SilentReader]",
    ]  # fmt: skip
    result = run_study(load_config(settings), tmp_path / "run", progress=Progress())
    differences = paired_differences(result, result.cells[result.cells["group"] == "source:table"])
    answers = differences[differences["stage"] == "generation"]
    assert set(answers["n"]) == {1}  # the other question has no answer in any format


@pytest.mark.slow
def test_without_a_question_about_a_table(tmp_path):
    settings = [*write_corpus(tmp_path), f"cache={tmp_path / 'cache'}", "dataset.sources=text"]
    done = CliRunner().invoke(main, [*settings, "--out", str(tmp_path / "run")])
    assert done.exit_code == 2
    assert "no questions about tables" in done.stderr
