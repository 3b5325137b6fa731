"""Export to other tools' formats, and import of the published evaluation's results."""

from __future__ import annotations

import json

import pytest

from experiments import (
    analyse_compare as compare,
)
from experiments import (
    convert_export as export,
)
from experiments import (
    convert_import_results as import_results,
)
from ohr.store.identity import file_digest
from ohr.study.results import open_run, rows_of
from tests.builders import CliRunner, qa, write_questions


def records(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_a_dataset_in_the_layout_of_beir(tmp_path, sample_cache):
    out = tmp_path / "out"
    arguments = ["dataset.kind=sample", f"cache={sample_cache}", "--out", str(out)]
    done = CliRunner().invoke(export.main, arguments)
    assert done.exit_code == 0, done.output
    domains = {path.name for path in out.iterdir()}
    assert len(domains) > 1
    n_pages = n_queries = 0
    for domain in domains:
        corpus, queries = (
            {one["_id"]: one for one in records(out / domain / f"{name}.jsonl")}
            for name in ("corpus", "queries")
        )
        header, *qrels = (out / domain / "qrels" / "test.tsv").read_text().splitlines()
        assert header == "query-id\tcorpus-id\tscore"
        for line in qrels:
            query, page, score = line.split("\t")
            assert score == "1"
            assert query in queries
            # Evidence in another domain can be found by no one.
            assert corpus[page]["text"] if page.startswith(f"{domain}/") else page not in corpus
        assert {line.split("\t")[0] for line in qrels} == set(queries)
        assert all(one["metadata"]["domain"] == domain for one in queries.values())
        assert not any(one["title"] for one in corpus.values())
        n_pages += len(corpus)
        n_queries += len(queries)
    assert (n_pages, n_queries) == (24, 60)


def test_each_knowledge_base_of_a_run(benchmark_runs, tmp_path):
    done = CliRunner().invoke(export.main, [str(benchmark_runs[0].path), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert {path.name for path in tmp_path.iterdir()} == {"gt_clean", "precomputed_theirs_clean"}
    truth, theirs = (
        [one for path in (tmp_path / name).glob("*/corpus.jsonl") for one in records(path)]
        for name in ("gt_clean", "precomputed_theirs_clean")
    )
    assert len(truth) == len(theirs) == 24
    assert sum(one["text"] == "Rubbish." for one in theirs) == 8


@pytest.mark.slow
def test_hugging_face_datasets(tmp_path, sample_cache):
    datasets = pytest.importorskip("datasets")
    arguments = ["dataset.kind=sample", f"cache={sample_cache}", "--format", "datasets"]
    done = CliRunner().invoke(export.main, [*arguments, "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    for folder in (tmp_path / "out").iterdir():
        queries = datasets.load_from_disk(str(folder / "queries"))
        qrels = datasets.load_from_disk(str(folder / "qrels"))
        assert set(qrels["query-id"]) == set(queries["_id"])


def test_unknown_formats_are_named(tmp_path):
    done = CliRunner().invoke(export.main, ["--format", "x", "--out", str(tmp_path), "a=b"])
    assert done.exit_code == 2
    assert "unknown --format 'x'; known: beir, datasets" in done.stderr


@pytest.fixture
def published_results(tmp_path):
    """Result files as the published evaluation writes them, of two questions a document."""
    entries = [qa(n, f"law/doc{n // 2}", n % 2) for n in range(24)]
    write_questions(tmp_path / "qas.json", entries)

    def result(n: int, **metrics: float) -> dict[str, object]:
        return {"id": f"q{n}", "metrics": metrics, "log": {}, "valid": n != 3}

    retrieval = [result(n, lcs=0.25 if n % 2 else 1.0) for n in range(24)]
    answers = [result(n, F1=-1 if n == 5 else 0.5, EM=0) for n in range(24)]
    for name, results in (("retrieval", retrieval), ("answers", answers)):
        content = {"info": {}, "overall": {}, "results": results}
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    lines = [json.dumps({"id": f"q{n}", "lcs_page": 0.9 if n < 6 else 1.0}) for n in range(24)]
    (tmp_path / "evidence.jsonl").write_text("\n".join(lines))
    return tmp_path


def imported(folder, *files: str, out: str = "run"):
    arguments = [*files, "--questions", str(folder / "qas.json"), "--out", str(folder / out)]
    return CliRunner().invoke(import_results.main, arguments)


def test_published_results_become_a_run(published_results):
    files = [
        str(published_results / "retrieval.json"),
        f"overall={published_results / 'answers.json'}",
    ]
    done = imported(published_results, *files, str(published_results / "evidence.jsonl"))
    assert done.exit_code == 0, done.output
    run = open_run(published_results / "run")
    cells = run.cells[run.cells["group"] == "all"].set_index(["stage", "metric"])
    assert cells.loc[("ocr", "r_noise"), "mean"] == 6 / 24
    # The published mean leaves out what is not valid, and here what raised.
    assert cells.loc[("retrieval", "lcs"), "mean"] == pytest.approx((12 + 11 * 0.25) / 23, abs=1e-6)
    assert tuple(cells.loc[("overall", "f1"), ["n", "n_empty", "n_error"]]) == (22, 1, 1)
    assert cells.loc[("overall", "f1"), "r_noise"] == 6 / 24
    assert len(rows_of(run.rows, "overall", "f1")) == 22
    again = imported(published_results, files[0])
    assert again.exit_code == 2
    assert "already has a run" in again.stderr


def test_the_manifest_has_the_digest_of_each_of_several_files_of_one_name(published_results):
    given = []
    for stage, f1 in (("generation", 0.5), ("overall", 0.25)):
        path = published_results / stage / "reader.json"
        path.parent.mkdir()
        path.write_text(json.dumps([{"id": f"q{n}", "F1": f1} for n in range(24)]))
        given.append(path)
    files = [f"{path.parent.name}={path}" for path in given]
    done = imported(published_results, *files, str(published_results / "evidence.jsonl"))
    assert done.exit_code == 0, done.output
    noted = json.loads((published_results / "run" / "manifest.json").read_text())["imported"][
        "files"
    ]
    every = {str(path): path for path in given} | {
        "evidence.jsonl": published_results / "evidence.jsonl"
    }
    assert noted == {name: file_digest(path) for name, path in every.items()}


def test_lines_of_results_end_at_line_feeds_alone(published_results):
    lines = [
        json.dumps({"id": f"q{n}", "response": "a\u2028b\x85", "lcs": 0.5}, ensure_ascii=False)
        for n in range(24)
    ]
    (published_results / "retrieval.jsonl").write_text("\n".join(lines), "utf-8-sig")
    done = imported(published_results, str(published_results / "retrieval.jsonl"))
    assert done.exit_code == 0, done.output


def test_imported_runs_can_be_compared(published_results):
    better = json.loads((published_results / "retrieval.json").read_text())
    for result in better["results"]:
        result["metrics"]["lcs"] = 1.0
    (published_results / "better.json").write_text(json.dumps(better))
    for name in ("retrieval", "better"):
        assert (
            imported(published_results, str(published_results / f"{name}.json"), out=name).exit_code
            == 0
        )
    runs = [str(published_results / name) for name in ("retrieval", "better")]
    done = CliRunner().invoke(compare.main, runs)
    assert done.exit_code == 0, done.output
    assert "+0.359" in done.output  # 11 of 23 questions gain .75
    exported = CliRunner().invoke(export.main, [runs[0], "--out", str(published_results / "x")])
    assert exported.exit_code == 2
    assert "was imported" in exported.stderr


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("x.json", "[", "cannot read results"),
        ("x.json", '[{"id": "unknown", "lcs": 1}]', "result 0 belongs to no question"),
        ("x.json", '[{"id": "q1", "F1": 1}]', "from gold pages or from retrieved chunks?"),
        ("x.json", '[{"id": "q1"}]', "none of the metrics"),
        ("x.json", '[{"id": "q1", "lcs": Infinity}]', "the lcs inf, which is neither from 0 to 1"),
        ("x.json", '[{"id": "q1", "lcs": 37.5}]', "divide per cent by 100"),
        ("x.json", '[{"id": "q1", "metrics": 5}]', "the metrics of result 0 are 5: no object"),
        ("x.json", '[{"id": "q1", "lcs": 1}, {"id": "q1", "lcs": 0}]', "two values of retrieval"),
    ],
)
def test_files_that_are_no_results_say_so(published_results, file, content, message):
    (published_results / file).write_text(content)
    done = imported(published_results, str(published_results / file))
    assert done.exit_code == 2
    assert message in done.stderr
