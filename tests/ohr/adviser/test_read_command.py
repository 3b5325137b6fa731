"""The command that reads all files as recommended, and its price."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import jsonschema
import pytest

from ohr.adviser.own_pages import OcrSettings
from ohr.adviser.recommend.decision import Decision
from ohr.adviser.recommend.made_questions import Request
from ohr.adviser.recommend.read_command import ReadCommand, read_command
from ohr.adviser.recommend.report import EngineCost
from ohr.registry import PluginSpec
from ohr.study.config import parse_plugins

TUNED = PluginSpec.parse({"name": "tesseract", "params": {"languages": ["deu"]}, "label": "german"})

SCHEMA = Path(__file__).parents[3] / "docs" / "reference" / "recommendation.schema.json"


def command_for(
    engine: str,
    pages: str = "",
    dpi: int = 150,
    cache: str = "c",
    further: Sequence[str] = (),
    excluded: Sequence[str] = (),
    stored: Mapping[str, int] = MappingProxyType({}),
    check_s: float = 0.0,
) -> ReadCommand:
    request = Request(40, 200, (), (), dpi, 0, None, pages=pages)
    engines = [TUNED, *map(PluginSpec.parse, ("rapidocr", *further))]
    settings = OcrSettings(engines, Path(cache), 2)
    costs = [EngineCost("rapidocr", 2.0, 2.0, 3600.0, ""), EngineCost("german", 1.0, 1.0, 7200, "")]
    return read_command(
        [Path("my files"), Path("b.pdf")],
        Path("runs/mine"),
        settings,
        request,
        Decision(engine, "", "why"),
        costs,
        pages=400,
        ocr_pages=120,
        layers=300,
        layer_s=0.2,
        excluded=excluded,
        check_s=check_s,
        stored=stored,
        kin={"german": ["tesseract"], "rapidocr": ["structured"]},
    )


def test_the_command_names_the_files_the_engine_and_a_folder():
    words = shlex.split(command_for("rapidocr", cache=".ohr-cache", excluded=["german"]).command)
    assert words == [
        *("ohr", "read", "my files", "b.pdf", "--auto", "--engines", "rapidocr"),
        *("--out", "runs/mine/kb"),
    ]


def test_the_fastest_other_program_reads_doubtful_pages():
    chosen = command_for("rapidocr", further=["structured"])
    words = shlex.split(chosen.command)
    named = parse_plugins("engine", words[words.index("--engines") + 1])
    assert [spec.label for spec in named] == ["rapidocr", "german"]
    assert chosen.price == (
        "about 3 min: 120 of 400 pages with OCR, 300 text layers to check, "
        "german reads doubtful pages too, at most 60 s more"
    )
    assert chosen.json_content()["second_engine"] == "german"


def test_another_mode_of_the_same_program_is_no_second_engine():
    chosen = command_for("german", further=["tesseract"], excluded=["rapidocr"])
    words = shlex.split(chosen.command)
    assert parse_plugins("engine", words[words.index("--engines") + 1]) == [TUNED]
    assert chosen.json_content()["second_engine"] is None


def test_an_engine_with_parameters_can_be_typed_again():
    words = shlex.split(command_for("german").command)
    first, second = parse_plugins("engine", words[words.index("--engines") + 1])
    assert (first, second.label) == (TUNED, "rapidocr")


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"pages": "1-3,7"}, ["--pages", "1-3,7"]),
        ({"dpi": 300}, ["--dpi", "300"]),
        ({"cache": "elsewhere"}, ["--cache", "elsewhere"]),
    ],
)
def test_options_that_change_what_is_read_are_kept(options, shown):
    text = shlex.join(shlex.split(command_for("rapidocr", **options).command))
    assert shlex.join(shown) in text
    assert shown[0] not in command_for("rapidocr", cache=".ohr-cache").command


def test_without_a_best_engine_the_command_has_the_fastest_and_its_price():
    chosen = command_for("")
    words = shlex.split(chosen.command)
    named = parse_plugins("engine", words[words.index("--engines") + 1])
    assert [spec.label for spec in named] == ["german", "rapidocr"]
    assert chosen.price == (
        "about 2 min: 120 of 400 pages with OCR, 300 text layers to check, "
        "rapidocr reads doubtful pages too, at most 2 min more"
    )
    other = command_for("", excluded=["german"])
    assert other.command.split("--engines ")[1].split()[0] == "rapidocr"
    assert other.price.startswith("about 3 min")


def test_without_a_best_engine_it_is_said_which_one_reads_first():
    assert command_for("").engines_sentence == (
        "Run the command below: it reads pages that need OCR with german, and again with rapidocr "
        "where that is in doubt."
    )


def test_engines_that_the_command_takes_by_itself_are_not_named():
    chosen = command_for("", further=["tesseract"])
    assert "--engines" not in chosen.command
    assert chosen.json_content()["second_engine"] == "rapidocr"


def test_a_time_that_is_not_known_is_said_to_be():
    chosen = command_for("tesseract", further=["tesseract"])
    assert math.isnan(chosen.ocr_s)
    assert chosen.price.startswith("time not known: 120 of 400 pages with OCR")
    assert chosen.json_content()["ocr_seconds"] is None


def test_pages_that_were_read_cost_nothing_more():
    chosen = command_for("rapidocr", stored={"rapidocr": 20, "german": 120})
    assert chosen.price == (
        "about 3 min: 120 of 400 pages with OCR (20 in the cache), 300 text layers to check, "
        "german reads doubtful pages too"
    )
    assert chosen.json_content()["ocr_seconds"] == 100


def test_the_price_is_of_the_ocr_and_of_the_layers():
    """120 pages at 3,600 an hour, and 300 layers at .2 s."""
    chosen = command_for("rapidocr")
    assert chosen.price.startswith("about 3 min: 120 of 400 pages with OCR")
    assert chosen.json_content()["ocr_seconds"] == 120


def test_the_price_is_of_the_checks_too():
    assert command_for("rapidocr", check_s=2.0).price.startswith("about 7 min: 120 of 400 pages")
    stored = command_for("rapidocr", check_s=2.0, stored={"rapidocr": 120, "german": 120})
    assert stored.price.startswith("about 5 min: 120 of 400 pages")


@pytest.mark.parametrize("engine", ["", "rapidocr"])
def test_the_content_follows_the_documented_schema(engine):
    schema = json.loads(SCHEMA.read_text("utf-8"))["properties"]["next"]
    jsonschema.validate(command_for(engine, stored={"rapidocr": 20}).json_content(), schema)
