"""Models as files: written, read and refused."""

import json

import pytest

from ohr.errors import ConfigError
from ohr.ocr_errors.files import parse_model, read_model, shipped_models, write_model
from ohr.ocr_errors.model import FORMAT


def test_a_model_is_read_as_it_was_written(model):
    text = write_model(model)
    assert parse_model(text.encode(), "m") == model
    assert len(text) < 100_000


@pytest.mark.parametrize("name", shipped_models())
def test_shipped_models_are_complete_and_say_how_well_they_fit(name):
    shipped = read_model(name)
    assert shipped.provenance.pages > 0
    assert shipped.provenance.engine
    assert {verdict.group for verdict in shipped.check.verdicts} >= {"all"}


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"", "not JSON"), (b"[]", "valid"), (b"{}", "provenance"), (b'{"format": 1}', "format")],
)
def test_another_file_is_refused_in_one_line(data, why):
    with pytest.raises(ConfigError, match=why) as error:
        parse_model(data, "x.json")
    assert "\n" not in str(error.value)


def test_an_unknown_model_suggests_the_known():
    with pytest.raises(ConfigError, match="tesseract"):
        read_model("teseract")
    with pytest.raises(ConfigError, match="cannot read"):
        read_model("no/such/model.json")


def test_counts_that_are_negative_are_refused(model):
    broken = json.loads(write_model(model))
    broken["formulas"]["count"] = -1
    with pytest.raises(ConfigError, match="formulas"):
        parse_model(json.dumps(broken).encode(), "x.json")


def test_a_model_without_the_runs_of_a_part_is_refused(model):
    broken = json.loads(write_model(model))
    del broken["styles"][1]["slices"][2]["runs"]["table"]
    with pytest.raises(
        ConfigError, match="runs of each part: text, table, chart, edge, page number"
    ):
        parse_model(json.dumps(broken).encode(), "x.json")
    broken = json.loads(write_model(model)) | {"slice_balance": [[1.0] * 5] * 3}
    with pytest.raises(ConfigError, match="slice_balance"):
        parse_model(json.dumps(broken).encode(), "x.json")


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("styles", 0, "slices", 0, "runs", "text", "first", 1), [1, 2], "at least 5"),
        (("styles", 0, "slices", 0, "runs", "text", "following", 1), [1] * 9, "at most 4"),
        (("styles", 1, "slices", 0, "kinds", "charts"), {}, "each kind: text, heading"),
        (("styles", 1, "slices", 0, "kinds"), {}, "group of layouts: formulas, charts"),
        (("output_lengths", 1, "sites", 0), [1], "at least 6"),
        (("output_lengths", 1, "inserted"), {"text": [0] * 14}, "lengths of each kind"),
        (("output_lengths",), [], "at least 5"),
        (("length_rates",), [1.0] * 3, "at least 12"),
        (("channel", "stretches"), {"here 4": 1}, "pattern"),
        (("channel", "single"), {"a": {}}, "at least 1"),
        (("output_lengths", 4, "rubbish", 2), [1], "at least 30"),
        (("levels", 0, "pages"), 0, "greater than or equal to 1"),
        (("formulas", "count"), 10**400, "formulas"),
    ],
)
def test_other_tables_are_refused_in_one_line(model, path, value, why):
    broken = json.loads(write_model(model))
    *way, last = path
    part = broken
    for key in way:
        part = part[key]
    part[last] = value
    with pytest.raises(ConfigError, match=why) as error:
        parse_model(json.dumps(broken).encode(), "x.json")
    assert "\n" not in str(error.value)


def test_a_model_of_an_earlier_format_says_to_fit_again(model):
    earlier = json.loads(write_model(model)) | {"format": 2}
    with pytest.raises(ConfigError, match=f"format 2, and this version reads format {FORMAT}: fit"):
        parse_model(json.dumps(earlier).encode(), "x.json")
