"""Background: textures that are the same on any page, an honest blend, and users' images."""

import json

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from ohr import registry
from ohr.errors import ConfigError
from ohr.store.identity import file_digest
from perturb.image import background, fields
from perturb.image.background import (
    PAPER_OPACITY,
    SEVERE_OPACITY,
    Background,
    BackgroundParams,
)
from perturb.image.fields import LARGEST, Fields
from perturb.image.textures import TEXTURES
from tests.examples import examples

every_texture = pytest.mark.parametrize("name", sorted(TEXTURES))


def text_page(height=220, width=170, paper=255):
    page = np.full((height, width), paper, np.uint8)
    page[20:-20:10, 15:-15] = 15
    return page


def blended(page, texture, intensity=1.0, seed=3, **params):
    operator = Background(BackgroundParams(**params))
    record = operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed)).record
    return operator.replay(page, record | {"texture": texture})


def paper_of(name, seed, height, width, colour=True):
    return TEXTURES[name].paper(seed, height, width, colour=colour)


def test_there_are_at_least_the_papers_fifteen_and_all_are_drawn():
    assert len(TEXTURES) >= 15
    page = text_page(40, 40)
    drawn = {
        Background().apply(page, intensity=0, rng=np.random.default_rng(seed)).record["texture"]
        for seed in range(400)
    }
    assert drawn == set(TEXTURES)


def test_textures_are_all_distinct_and_so_are_two_seeds_of_one():
    papers = {name: paper_of(name, 5, 300, 300).astype(int) for name in TEXTURES}
    for name, paper in papers.items():
        other = paper_of(name, 6, 300, 300)
        assert (np.abs(paper - other) > 2).mean() > 0.05
        for another in set(TEXTURES) - {name}:
            assert np.abs(paper - papers[another]).mean() > 2


@every_texture
def test_paper_is_bright_and_has_a_texture(name):
    for seed in range(3):
        luma = paper_of(name, seed, 900, 700, colour=False)
        assert luma.mean() > 165
        assert luma.std() > 2
        white = np.full((900, 700), 255, np.uint8)
        page = blended(white, name, PAPER_OPACITY / SEVERE_OPACITY, seed)
        assert page.mean() > 235
        assert np.percentile(page, 1) > 215


def enlarged_exactly(plane, down, across, how):
    """:func:`fields._enlarged` in double precision, its ties rounded up wherever they stand."""
    size = (plane.shape[1] * across, plane.shape[0] * down)
    exact = cv2.resize(plane.astype(np.float64), size, interpolation=how)
    return np.clip(np.floor(exact + 0.5 + 1e-7), 0, 255).astype(np.uint8)


@every_texture
@examples(4)
@given(
    seed=st.integers(0, 2**53 - 1),
    small=st.tuples(st.integers(32, 400), st.integers(32, 400)),
    more=st.tuples(st.integers(0, 300), st.integers(0, 300)),
)
def test_a_smaller_sheet_is_the_corner_of_a_larger_one(name, seed, small, more):
    """To the byte, but for what the next test allows OpenCV.

    How far that shows depends on the texture: one shade of the field under a stain is 26 on its
    rim, and a narrow sheet may be all rim.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fields, "_enlarged", enlarged_exactly)
        large = paper_of(name, seed, small[0] + more[0], small[1] + more[1])
        assert np.array_equal(large[: small[0], : small[1]], paper_of(name, seed, *small))


@examples(40)
@given(
    seed=st.integers(0, 2**32 - 1),
    lattice=st.tuples(st.integers(2, 60), st.integers(2, 60)),
    steps=st.tuples(st.integers(1, fields.FINE), st.integers(1, fields.FINE)),
    how=st.sampled_from([cv2.INTER_LINEAR, cv2.INTER_CUBIC]),
)
def test_a_field_is_enlarged_to_within_a_shade(seed, lattice, steps, how):
    """OpenCV rounds vectors of pixels another way than the columns left over at the edge."""
    plane = np.random.default_rng(seed).integers(0, 256, lattice, dtype=np.uint8)
    exact = enlarged_exactly(plane, *steps, how).astype(int)
    assert np.abs(fields._enlarged(plane, *steps, how) - exact).max() <= 1


@every_texture
@pytest.mark.parametrize("dpi", [75, 100, 300])
def test_paper_looks_the_same_at_any_resolution(name, dpi):
    """Inch for inch, as seen through squares of a twenty-fifth of an inch."""
    seen = {}
    for resolution in (150, dpi):
        page = np.full((4 * resolution, 3 * resolution), 255, np.uint8)
        value = blended(page, name, opacity=0.9, dpi=resolution)
        seen[resolution] = cv2.resize(value, (75, 100), interpolation=cv2.INTER_AREA).astype(int)
    assert np.abs(seen[dpi] - seen[150]).mean() < 2


@every_texture
def test_a_pixel_moves_towards_the_paper_by_the_opacity(name):
    page = np.random.default_rng(0).integers(0, 256, (90, 80, 3), dtype=np.uint8)
    record = Background().apply(page, intensity=1, rng=np.random.default_rng(0)).record
    paper = paper_of(name, record["seed"], 91, 81)[:90, :80].astype(float)
    before = np.zeros(page.shape)
    for intensity in (0.1, PAPER_OPACITY / SEVERE_OPACITY, 0.7, 1.0):
        opacity = SEVERE_OPACITY * intensity
        changed = record | {"texture": name, "intensity": intensity, "opacity": opacity}
        out = Background().replay(page, changed).astype(float)
        assert np.abs(out - (page + (paper - page) * opacity)).max() <= 1
        moved = np.abs(out - page)
        assert (moved >= before).all()
        before = moved


def test_the_papers_setting_lies_on_the_scale():
    page = text_page()
    position = Background.paper_intensity
    assert 0 < position <= 1
    record = Background().apply(page, intensity=position, rng=np.random.default_rng(0)).record
    assert record["opacity"] == pytest.approx(0.2)


@every_texture
def test_grey_pages_get_the_luma_of_the_paper(name):
    grey = text_page(paper=200)
    colour = np.repeat(grey[..., None], 3, axis=2)
    luma = cv2.cvtColor(blended(colour, name), cv2.COLOR_RGB2GRAY)
    assert np.abs(blended(grey, name).astype(int) - luma).max() <= 2


@pytest.mark.parametrize("dpi", [60, 150, 290])
def test_rows_handled_together_leave_no_seam(monkeypatch, dpi):
    page = text_page(500, 400)
    whole = blended(page, "stained", dpi=dpi)
    monkeypatch.setattr(background, "ROWS_AT_ONCE", 37)
    assert np.abs(blended(page, "stained", dpi=dpi).astype(int) - whole).max() <= 1


def test_a_page_past_the_largest_sheet_shows_it_mirrored():
    page = np.full((40, LARGEST + 300), 255, np.uint8)
    value = blended(page, "stained", opacity=0.9)
    # The last column of the sheet is where the mirror stands.
    assert np.array_equal(
        value[:, LARGEST : LARGEST + 300], value[:, LARGEST - 300 : LARGEST][:, ::-1]
    )


@every_texture
def test_the_threads_of_opencv_do_not_matter(name):
    page = text_page(400, 300)
    threads = cv2.getNumThreads()
    values = []
    try:
        for count in (1, 4):
            cv2.setNumThreads(count)
            values.append(blended(page, name, dpi=200).tobytes())
    finally:
        cv2.setNumThreads(threads)
    assert values[0] == values[1]


def test_the_draws_of_a_field_are_pinned():
    """A record written today must replay for ever, under any NumPy."""
    fields = Fields(2**53 - 1, 8, 8)
    assert fields.draws(2, 4, 8).tolist() == [[82, 249, 166, 136], [61, 127, 133, 156]]
    assert fields.draws(2, 4, 8).tolist() == [[205, 14, 109, 109], [75, 232, 96, 137]]


# --- images of the user's ----------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    images = tmp_path / "papers"
    images.mkdir()
    rng = np.random.default_rng(0)
    Image.fromarray(np.full((60, 50, 3), (200, 180, 160), np.uint8)).save(images / "b.png")
    Image.fromarray(rng.integers(0, 256, (900, 300), dtype=np.uint8)).save(images / "a.PNG")
    Image.fromarray(np.full((40, 700, 3), 90, np.uint8)).save(images / "..c.jpg".lstrip("."))
    (images / "notes.txt").write_text("no image")
    (images / ".hidden.png").write_text("no image either")
    (images / "folder.png").mkdir()
    return images


@pytest.mark.parametrize("shape", [(220, 170), (170, 220, 3), (64, 900), (1000, 50, 3)])
def test_an_image_of_a_folder_covers_the_page(folder, shape):
    operator = Background(BackgroundParams(folder=folder, opacity=0.5))
    page = np.full(shape, 255, np.uint8)
    seen = set()
    for seed in range(12):
        applied = operator.apply(page, intensity=1, rng=np.random.default_rng(seed))
        texture = applied.record["texture"]
        seen.add(texture)
        if texture.startswith("image:1:"):
            flat = {200, 180, 160} if len(shape) == 3 else {184}  # their luma
            flat = {round((255 + value) / 2 + 0.25) for value in flat}
            assert (
                np.abs(np.subtract.outer(np.unique(applied.value), sorted(flat))).min(1).max() <= 1
            )
        record = json.loads(json.dumps(applied.record))
        assert operator.replay(page, record).tobytes() == applied.value.tobytes()
        assert not np.array_equal(applied.value, page)
        assert "png" not in json.dumps(record).lower()
    assert {texture.split(":")[1] for texture in seen} == {"0", "1", "2"}


def test_an_image_is_cut_in_the_middle_and_keeps_its_proportions(tmp_path):
    image = np.full((100, 300), 255, np.uint8)
    image[40:60, 140:160] = 0  # a square in the middle
    Image.fromarray(image).save(tmp_path / "a.png")
    operator = Background(BackgroundParams(folder=tmp_path, opacity=0.9))
    for size in ((50, 50), (400, 400)):
        page = np.full(size, 255, np.uint8)
        value = operator.apply(page, intensity=1, rng=np.random.default_rng(0)).value
        rows, columns = np.nonzero(value < 140)
        for where in (rows, columns):
            assert (where.min() + where.max() + 1) / 2 == pytest.approx(size[0] / 2, abs=1)
            assert np.ptp(where) + 1 == pytest.approx(size[0] / 5, abs=2)


def test_a_record_is_refused_once_its_image_is_another(folder):
    operator = Background(BackgroundParams(folder=folder))
    page = text_page()
    record = operator.apply(page, intensity=1, rng=np.random.default_rng(0)).record
    with pytest.raises(ValueError, match="set the folder"):
        Background().replay(page, record)
    place = record["texture"].split(":")[1]
    beyond = record["texture"].replace(f":{place}:", ":77:")
    with pytest.raises(ValueError, match="image 77 of a folder"):
        operator.replay(page, record | {"texture": beyond})
    for path in folder.glob("*.*"):
        if path.is_file():
            Image.fromarray(np.full((50, 50), 7, np.uint8)).save(path, "PNG")
    with pytest.raises(ValueError, match="has another there"):
        operator.replay(page, record)


@pytest.mark.parametrize(
    "texture",
    [
        *("", "Laid", "/etc/passwd", "image:0", "image:0:../../etc/passwd"),
        *(f"image:-1:{0:032}", f"image:0:{0:032}\n", f"image:99999999:{0:032}"),
    ],
)
def test_a_texture_that_is_none_is_refused(folder, texture):
    operator = Background(BackgroundParams(folder=folder))
    page = text_page()
    record = operator.apply(page, intensity=1, rng=np.random.default_rng(0)).record
    with pytest.raises(ValueError, match="unknown texture"):
        operator.replay(page, record | {"texture": texture})


def test_a_built_in_texture_replays_whatever_the_folder(folder):
    page = text_page()
    applied = Background().apply(page, intensity=0.5, rng=np.random.default_rng(0))
    other = Background(BackgroundParams(folder=folder))
    assert np.array_equal(other.replay(page, applied.record), applied.value)


def test_the_identity_is_that_of_the_images_not_of_their_place(folder):
    before = Background(BackgroundParams(folder=folder)).identity()
    moved = folder.rename(folder.parent / "elsewhere")
    assert Background(BackgroundParams(folder=moved)).identity() == before
    json.dumps(before)
    assert before != Background().identity()
    Image.fromarray(np.full((50, 50), 7, np.uint8)).save(moved / "b.png")
    assert Background(BackgroundParams(folder=moved)).identity() != before


@pytest.mark.parametrize("what", ["missing", "file", "empty", "broken"])
def test_a_folder_without_images_is_refused(tmp_path, what):
    place, expected = tmp_path / "papers", "cannot read the folder"
    if what == "file":
        place.write_text("")
    elif what in ("empty", "broken"):
        place.mkdir()
        expected = "no image in the folder"
    if what == "broken":
        (place / "a.png").write_text("no image")
        expected = "cannot read 'a.png'"
    spec = {"name": "background", "params": {"folder": str(place)}}
    with pytest.raises(ConfigError, match=expected):
        registry.create("perturbation", spec)


def test_a_texture_that_is_laid_on_white_is_not_the_one_of_its_bytes(tmp_path):
    path = tmp_path / "a.png"
    named = {}
    for mode in ("RGB", "RGBA"):
        Image.new(mode, (50, 50)).save(path)
        operator = Background(BackgroundParams(folder=tmp_path))
        page = np.full((50, 50), 255, np.uint8)
        applied = operator.apply(page, intensity=1, rng=np.random.default_rng(0))
        named[mode] = applied.record["texture"].split(":")[2] == file_digest(path)
        assert np.array_equal(operator.replay(page, applied.record), applied.value)
        assert (applied.value == 255).all() == (mode == "RGBA")
    assert named == {"RGB": True, "RGBA": False}
