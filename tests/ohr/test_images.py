"""Images as people have them: what stands on a transparent ground, frames, units, turned pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from ohr.documents.images import load_image
from ohr.documents.orientation import turn_of
from ohr.documents.pdf import RENDERER, drawn_by, render
from ohr.errors import EngineError
from ohr.ocr.worker import note_turn
from ohr.types import Outcome
from tests.builders import write_objects

LINES = [
    "The harbour of Lindvik was opened by the countess",
    "and takes in many ships a year, of which two thirds",
    "carry timber; a berth costs twelve crowns a night.",
    "Visitors may not enter the grain store, but fishing",
    "from the northern pier is permitted until evening.",
] * 3


def page_of_text() -> np.ndarray:
    image = Image.new("L", (900, 700), 255)
    font = ImageFont.load_default(28)
    for number, line in enumerate(LINES):
        ImageDraw.Draw(image).text((40, 30 + 42 * number), line, fill=0, font=font)
    return np.asarray(image)


@pytest.mark.parametrize(("ink", "ground"), [((255, 255, 255), 0), ((0, 0, 0), 255)])
def test_ink_on_a_transparent_ground_is_seen(
    tmp_path: Path, ink: tuple[int, int, int], ground: int
) -> None:
    image = Image.new("RGBA", (60, 40), (*ink, 0))
    ImageDraw.Draw(image).rectangle((10, 10, 30, 20), fill=(*ink, 255))
    image.save(tmp_path / "a.png")
    pixels = load_image(tmp_path / "a.png")
    assert (pixels[0, 0] == ground).all()
    assert (pixels[15, 20] == ink[0]).all()
    assert drawn_by(tmp_path / "a.png") == "on white or black"


def test_a_picture_that_moves_is_no_page(tmp_path: Path) -> None:
    frames = [Image.new("L", (9, 9), grey) for grey in (0, 99)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    with pytest.raises(EngineError, match="has 2 pages, but an image is read as one"):
        load_image(tmp_path / "a.gif")
    frames[0].save(tmp_path / "b.gif")
    assert load_image(tmp_path / "b.gif").shape[:2] == (9, 9)


def test_a_page_in_another_unit_than_points_has_its_size(tmp_path: Path) -> None:
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 36] /UserUnit 2.5 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 36] >>",
    ]
    path = write_objects(tmp_path / "a.pdf", objects)
    assert render(path, 0, 100).shape == (125, 250, 3)
    assert render(path, 1, 100).shape == (50, 100, 3)
    assert drawn_by(path) == f"{RENDERER}, user units"
    huge = [text.replace("2.5", "900") for text in objects]
    with pytest.raises(EngineError, match="more than the"):
        render(write_objects(tmp_path / "b.pdf", huge), 0, 100)


@pytest.mark.slow
@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_page_that_does_not_stand_upright_is_told(turn: int) -> None:
    image = np.ascontiguousarray(np.rot90(page_of_text(), -turn // 90))
    assert turn_of(image) == (turn or None)
    assert turn_of(255 - image) == (turn or None)
    said = note_turn(Outcome("read", detail="cut"), image)
    assert ("cut; the page seems to be turned: it " in said.detail) is bool(turn)
    assert said.value == "read"
    # Letters of other scripts hang from a line, or have no baseline.
    assert note_turn(Outcome("लेख"), image) == Outcome("लेख")
    assert note_turn(Outcome.error("x"), image) == Outcome.error("x")


def test_a_blank_page_has_no_turn() -> None:
    assert turn_of(np.full((90, 60), 255, np.uint8)) is None
    assert turn_of(np.zeros((90, 60, 3), np.uint8)) is None
    noise = np.random.default_rng(0).integers(0, 256, (300, 300), np.uint8)
    assert turn_of(noise) is None
