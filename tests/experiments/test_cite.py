"""``ohr cite``: the methods of a run in words, from its files alone."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import cite as command
from ohr.analysis.citation.doses import doses_by_domain
from ohr.analysis.citation.methods import methods_paragraph, units_by_domain
from ohr.analysis.citation.report import cite
from ohr.analysis.citation.writing import TEX, Items, Listing, Section, written
from ohr.analysis.comparison.differences import run_differences
from ohr.api.run import open_run
from ohr.errors import OhrError
from ohr.statistics.numbers import number, p_value
from ohr.study.results import StudyRun
from tests.boards import change_manifest
from tests.builders import CliRunner
from tests.conftest import ROOT, WriteOnce
from tests.experiments.conftest import corpus, run

PROMPT = "Say it in \\textbf{one} word & no more. 100 % $sure$\n---\n{question}\n\n{context}\n"


@pytest.fixture(scope="module")
def noisy(write_once: WriteOnce) -> StudyRun:
    """The ground truth of twelve documents under formatting noise."""

    def write(root: Path) -> None:
        noise = ["engines=[gt]", "noise=[formatting]", "levels=[mild,severe]", "seeds=[3]"]
        run(root / "run", *corpus(root), *noise, "stages=[ocr,retrieval]")

    return open_run(write_once("cited", write) / "run")


def test_the_paragraph_says_what_the_files_say(benchmark_runs):
    study = benchmark_runs[1]
    text = methods_paragraph(study)
    dataset = study.manifest["dataset"]
    assert dataset["digest"] in text
    assert "48 questions on 12 documents of the domains" in text
    assert "The unit of inference is the document" in text
    assert "With 12 documents the smallest possible p is <0.001." in text, "2 of 2 ** 12 signs"
    assert "2 comparisons of engines on clean pages" in text, "a comparison for each reader"
    assert "No noise was added." in text
    for label in ("gt", "precomputed:theirs", "bm25", "tests.fakes.FactReader"):
        assert f"“{label}”" in text


def test_documents_and_questions_are_counted_from_the_rows(benchmark_runs):
    units = units_by_domain(benchmark_runs[1])
    assert units.to_dict("list") == {
        "domain": ["manual", "law"],
        "documents": [6, 6],
        "questions": [24, 24],
    }


def test_every_difference_is_in_the_appendix_with_its_p(benchmark_runs):
    _, text = cite(benchmark_runs[1])
    differences = run_differences(benchmark_runs[1])
    assert len(differences) > 3
    rows = [line for line in text.splitlines() if " less gt, clean |" in line]
    assert len(rows) == len(differences)
    for line, row in zip(rows, differences.to_dict("records"), strict=True):
        assert f"| {number(row['difference'])}" in line
        assert line.endswith(f"| {p_value(row['p_adjusted']).replace('<', '&lt;')} |")


def test_doses_are_those_of_the_cells_by_domain_and_writing_system(noisy):
    doses = doses_by_domain(noisy)
    cells = noisy.cells
    for row in doses.to_dict("records"):
        same = cells[(cells["level"] == row["level"]) & (cells["group"] == row["group"])]
        assert row["edit_distance"] == same["edit_distance"].iloc[0]
    assert set(doses["group"]) == {"all", "domain:law", "domain:manual"}
    paragraph, text = cite(noisy)
    severe = doses[(doses["level"] == "severe") & (doses["group"] == "domain:law")]
    line = f"| gt, formatting severe | law |.*{number(severe['edit_distance'].iloc[0])} \\|"
    assert re.search(line, text)
    dose = noisy.manifest["knowledge_bases"]["gt, formatting severe"]["dose"]["Latin"]
    assert f"| gt, formatting severe | Latin | {dose['pages']} | {dose['changed']} |" in text
    assert "1 draw of the noise (seed 3)" in paragraph
    assert "The noise “formatting” moved the" in paragraph


def test_resolved_parameters_stand_beside_each_part(noisy):
    _, text = cite(noisy)
    [chunker] = [line for line in text.splitlines() if line.startswith("| chunker | tokens")]
    assert "size 1024" in chunker


@pytest.fixture
def run_copy(noisy, tmp_path) -> Path:
    return Path(shutil.copytree(noisy.path, tmp_path / "copy"))


def test_prompts_are_printed_as_they_are_and_stay_text(run_copy):
    system, user = PROMPT.split("\n---\n")
    prompts = {"system": system, "user": user}
    entry = {"identity": {"name": "openai"}, "note": "", "by_status": {}, "reasons": {}}
    readers = {"model": entry | {"prompts": prompts}}
    change_manifest(run_copy, readers=readers)
    study = open_run(run_copy)
    assert "    Say it in \\textbf{one} word & no more." in cite(study)[1]
    tex = cite(study, TEX)[1]
    assert r"\textbackslash{}textbf\{one\} word \& no more. 100 \% \$sure\$\par" in tex


def test_what_was_left_out_is_listed_with_its_reason(run_copy):
    change_manifest(run_copy, unreachable=["formatting: r_noise 0.9 is never reached"])
    text = cite(open_run(run_copy))[1]
    assert "- not measured: formatting: r\\_noise 0.9 is never reached" in text
    assert "Nothing was left out" not in text


def test_complete_runs_say_so(noisy):
    assert "Nothing was left out." in cite(noisy)[1]


def test_imported_results_do_not_say_how_they_were_measured(run_copy):
    change_manifest(run_copy, imported={"engine": "x"})
    with pytest.raises(OhrError, match="was imported"):
        cite(open_run(run_copy))


def test_unknown_forms_are_refused(noisy):
    with pytest.raises(OhrError, match="known: markdown, tex"):
        noisy.cite("html")


@pytest.mark.slow
def test_both_files_are_written_in_either_form(noisy, tmp_path):
    for form, suffix in (("markdown", "md"), ("tex", "tex")):
        done = CliRunner().invoke(
            command.main, [str(noisy.path), "--out", str(tmp_path), "--format", form]
        )
        assert done.exit_code == 0, done.output
        texts = [(tmp_path / f"{name}.{suffix}").read_text("utf-8") for name in
                 ("methods", "appendix")]  # fmt: skip
        assert tuple(texts) == cite(noisy, form)
    printed = CliRunner().invoke(command.main, [str(noisy.path)])
    assert printed.stdout.startswith(methods_paragraph(noisy)[:40])


def test_tex_closes_what_it_opens(noisy):
    tex = "".join(cite(noisy, TEX))
    opened = re.findall(r"\\begin\{(\w+)\}", tex)
    assert opened
    assert sorted(opened) == sorted(re.findall(r"\\end\{(\w+)\}", tex))
    bare = re.sub(r"\\[{}]", "", tex)
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"(?<!\\)[#$_]", tex.replace("$-$", "").replace("$\\Delta$", ""))


def test_parts_are_escaped_in_both_forms():
    sections = [Section("A_b", [Items(("x < y",)), Listing("\\end{quote}\n\n|")])]
    assert "- x &lt; y" in written(sections, "markdown")
    tex = written(sections, TEX)
    assert r"\section*{A\_b}" in tex
    assert r"\textbackslash{}end\{quote\}\par" in tex


@pytest.mark.slow
def test_nothing_that_the_run_names_is_imported(run_copy, tmp_path):
    (tmp_path / "evil.py").write_text("raise SystemExit('loaded')\n")
    manifest = json.loads((run_copy / "manifest.json").read_text("utf-8"))
    config = manifest["config"]
    for kind in ("chunkers", "retrievers", "noise", "metrics", "readers"):
        config[kind] = [{"name": "evil.Plugin", "label": spec["label"]} for spec in config[kind]]
    config["dataset"]["kind"] = "evil.Data"
    change_manifest(run_copy, config=config, parts={})
    done = subprocess.run(
        [sys.executable, "-m", "experiments", "cite", str(run_copy)],
        cwd=tmp_path,
        env={"PYTHONPATH": f"{ROOT}:{tmp_path}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert "evil.Plugin" in done.stdout
    assert "loaded" not in done.stdout + done.stderr
