"""A report of a recommendation begins with its verdict, whichever folder of it is named."""

import json

import pytest

from ohr.errors import OhrError
from ohr.report.recommendation import recommended_runs, report_verdict

CONTENT = {
    "sentences": {"verdict": ["Take quick.", "Wrong characters: fewest by quick."]},
    "next": {"command": "ohr read my_pdfs --auto --out kb", "price": "about 3 min: 4 of 9 pages"},
}
VERDICT = (
    "Take quick.",
    "Wrong characters: fewest by quick.",
    "Next: ohr read my_pdfs --auto --out kb (about 3 min: 4 of 9 pages)",
)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "mine"
    (path / "retrieval").mkdir(parents=True)
    (path / "retrieval" / "manifest.json").write_text("{}")
    (path / "recommendation.json").write_text(json.dumps(CONTENT))
    return path


def test_the_folder_and_its_run_have_the_verdict(folder):
    for given in (folder, folder / "retrieval"):
        assert recommended_runs([given]) == ([folder / "retrieval"], VERDICT)


def test_another_run_has_none_and_several_runs_have_none(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    assert recommended_runs([other]) == ([other], ())
    assert recommended_runs([folder, other]) == ([folder / "retrieval", other], ())


def test_a_recommendation_without_a_run_is_refused_with_what_to_read(folder):
    (folder / "retrieval" / "manifest.json").unlink()
    with pytest.raises(OhrError, match=r"recommendation\.txt"):
        recommended_runs([folder])


@pytest.mark.parametrize("content", ["", "{", "[]", '{"sentences": 3}', "[" * 100_000])
def test_a_damaged_recommendation_is_no_verdict(folder, content):
    (folder / "recommendation.json").write_text(content)
    assert recommended_runs([folder / "retrieval"])[1] == ()


@pytest.mark.parametrize("following", [None, {"command": "x"}, {"command": 3, "price": ""}])
def test_a_recommendation_without_a_command_has_its_sentences(following):
    assert report_verdict(CONTENT | {"next": following}) == VERDICT[:2]
