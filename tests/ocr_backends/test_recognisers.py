"""Which engines share what recognises letters, so that their agreement says nothing."""

from __future__ import annotations

import pytest

from ohr import registry
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec


def recognisers(spec: object) -> frozenset[str]:
    engine = registry.create("engine", PluginSpec.parse(spec))
    assert isinstance(engine, OcrBackend)
    return engine.recognisers()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tesseract", {"name": "tesseract", "label": "psm 6", "params": {"psm": 6}}),
        ("rapidocr", "structured"),
        ("tesseract", {"name": "structured", "params": {"words": "tesseract"}}),
        ("tesseract", "repaired"),
        ("rapidocr", {"name": "fused", "params": {"engines": ["tesseract", "rapidocr"]}}),
        (
            {"name": "openai_vlm", "params": {"base_url": "http://localhost:1/v1", "model": "a"}},
            {
                "name": "openai_vlm",
                "label": "short",
                "params": {"base_url": "http://localhost:1/v1", "model": "a", "max_tokens": 99},
            },
        ),
    ],
)
def test_modes_of_one_engine_share_it(one: object, other: object) -> None:
    assert recognisers(one) & recognisers(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tesseract", "rapidocr"),
        ("rapidocr", {"name": "structured", "params": {"words": "tesseract"}}),
        ("tesseract", {"name": "command", "params": {"template": "cat {input}"}}),
        (
            {"name": "openai_vlm", "params": {"base_url": "http://localhost:1/v1", "model": "a"}},
            {"name": "openai_vlm", "params": {"base_url": "http://localhost:1/v1", "model": "b"}},
        ),
        (
            {"name": "command", "params": {"template": "cat {input}"}},
            {"name": "command", "params": {"template": "tac {input}"}},
        ),
    ],
)
def test_other_programs_and_models_do_not(one: object, other: object) -> None:
    assert not recognisers(one) & recognisers(other)
