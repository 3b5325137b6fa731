from __future__ import annotations

import json

import pytest

from ohr.errors import ConfigError
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.wordings import read_wordings, wordings_csv
from tests.builders import load_config, write_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"))


def plan(corpus, *settings):
    config = load_config([*corpus, "engines=[gt]", *settings])
    return make_plan(config, load_dataset(config))


def test_every_format_says_the_same(tmp_path):
    wanted = {"q0": 'So, what about "fact", 0?', "q1": "And 1?\nPlease.", "=2": "=1+1 is what?"}
    path = tmp_path / "w"
    for text in (
        wordings_csv(wanted),
        json.dumps(wanted),
        json.dumps([{"ID": qid, "questions": text} for qid, text in wanted.items()]),
    ):
        path.write_text(text, "utf-8")
        assert read_wordings(path) == wanted
    lines = (json.dumps({"ID": qid, "questions": text}) for qid, text in wanted.items())
    path.write_bytes("\n".join(lines).encode("utf-16"))
    assert read_wordings(path) == wanted


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_spreadsheets_csv_is_read(tmp_path, separator, encoding):
    path = tmp_path / "w.csv"
    text = f'ID{separator} Question\r\nq1{separator}"What, is; the\tmill?"\r\n'
    path.write_bytes(text.encode(encoding))
    assert read_wordings(path) == {"q1": "What, is; the\tmill?"}


def test_a_workbook_is_called_one(tmp_path):
    path = tmp_path / "w.xlsx"
    path.write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(ConfigError, match=r"it is no CSV but a workbook"):
        read_wordings(path)


def test_only_reworded_questions_are_asked_in_either_wording(corpus, tmp_path):
    path = tmp_path / "w.csv"
    path.write_text(wordings_csv({"q1001": "Number 1001?", "q0": "Number 0?"}), "utf-8")
    settings = f"dataset.rewritten={path}"
    asked = plan(corpus, settings).questions
    assert [(q.qid, q.text) for q in asked] == [("q0", "Number 0?"), ("q1001", "Number 1001?")]
    before = plan(corpus, settings, "dataset.wording=original").questions
    assert [(q.qid, q.text) for q in before] == [
        ("q0", "What is fact 0?"),
        ("q1001", "What is fact 1001?"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("qid,wording\nq0,x\n", "no column question"),
        ("qid,question\nq0,x\nq0,y\n", "'q0' comes twice"),
        ("qid,question\nq0,\n", "'q0' is empty"),
        ("question,qid\nhello\n", "line 2: 1 fields under a header of 2"),
        ("qid,question\nq0,What, is it?\n", "line 2: 3 fields .*holds a comma in quotes"),
        ('{"q0": "a", "q0": "b"}', "the key 'q0' comes twice"),
        ('[{"ID": true, "questions": "x"}]', "ID is the boolean true"),
        ("qid,question\nq0," + "x" * 200_000 + "\n", "larger than field limit"),
        ("qid,question\nnobody,x\n", "such as 'nobody'"),
        ("[1, 2]", "cannot read"),
        ('{"q0": null}', "null is no wording"),
        ("", "no column"),
    ],
)
def test_a_wrong_file_is_one_line(corpus, tmp_path, text, said):
    path = tmp_path / "w.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=said):
        plan(corpus, f"dataset.rewritten={path}")


def test_a_file_that_is_no_text(corpus, tmp_path):
    path = tmp_path / "w.csv"
    path.write_bytes(b"qid,question\nq0,\xff\xfe\n")
    with pytest.raises(ConfigError, match="cannot read the wordings"):
        plan(corpus, f"dataset.rewritten={path}")
    with pytest.raises(ConfigError, match="cannot read the wordings"):
        plan(corpus, f"dataset.rewritten={tmp_path / 'none.csv'}")
