"""Camera: the page is photographed with a phone. No distortion of the paper.

A sheet, flat, bent, creased or wrinkled, lies on a table or is held, and is lit by a lamp or the
sky (:mod:`perturb.image.sheet`). A phone sees it at a slant, a little out of focus and moving; its
sensor adds noise and a tint, and it stores a JPEG. Unlike the other distortions this one also makes
the text smaller, turns it, and shows what is around the page.

A page draws its *conditions*, which ``conditions`` fixes instead: ``indoor`` or ``outdoor`` (two to
one), ``bend`` (.5), ``wrinkle`` (.45), ``crease`` (.15), ``shadow`` (.3), ``underexposed`` (.1) and
``hold`` (.25). These are about their shares among 31 photographs of 11 documents. ``screen`` is
never drawn, since those are of paper: the page is shown on a monitor, whose pixels and the camera's
beat with each other (moire), in coloured bands. It is not validated: no photographs of screens were
available.

At intensity 1, uniform and independent:

=======================  =================================================================
quantity                 range
=======================  =================================================================
roll; pitch, yaw         ± 12; ± 18 degrees
page over the frame      .75 to .98 of its width or height, whichever is tighter
place                    anywhere in the rest of the frame
light                    .8 to 1, underexposed .3 to .55; falls off by .1 to .35, outdoors by 0
                         to .12; a cast shadow takes .25 to .55
glare on ink             .03 to .12 of the light
blur                     .35 to 1.2 pixels at 150 dpi (root mean square), defocus or motion
sensor noise             2 to 6 grey values, underexposed 6 to 14
tint                     ± .06 of red and blue, against each other
JPEG quality             60 to 90
screen                   .98 to 1.02 of its pixels for each of the photograph's
moire                    takes .2 to .5 of the light; its colours are a third of a band apart
=======================  =================================================================

Intensity i multiplies angles, heights, what is missing to 1 (of light, frame and quality), blur,
noise and moire by i. A page has one scene, whatever the intensity.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

import cv2
import numpy as np
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import PageDistortion, PageParams, PageRecord
from perturb.image.coarse import CELL, enlarged, nodes, strips, uniforms
from perturb.image.outlines import hulls, outlines
from perturb.image.psf_blur import KERNELS, psf
from perturb.image.shadow import edge, falloff, hand
from perturb.image.sheet import Vector, View, draw_sheet, place_view
from perturb.image.warping import colourless

Condition = Literal[
    "indoor", "outdoor", "bend", "wrinkle", "crease", "shadow", "underexposed", "hold", "screen"
]
CHANCES: dict[Condition, float] = {
    "bend": 0.5,
    "wrinkle": 0.45,
    "crease": 0.15,
    "shadow": 0.3,
    "underexposed": 0.1,
    "hold": 0.25,
}
OUTDOOR = 1 / 3
"""Chance of a photograph taken outdoors."""
ROLL, SLANT = math.radians(12), math.radians(18)
FILL = (0.75, 0.98)
BLUR = (0.35, 1.2)
"""Pixels at 150 dpi."""
QUALITY = (60.0, 90.0)
TINT = 0.06
SHADE = 0.7
"""Light lost, over the slope that faces away from the lamp."""
PIXELS, MOIRE = (0.98, 1.02), (0.2, 0.5)
"""Of a screen: its pixels for each of the photograph's; the light that the moire takes."""
DRAWS = 512
"""Draws that a scene takes at most."""

Conditions = Annotated[tuple[Condition, ...], Field(min_length=1, max_length=8)]


class CameraParams(PageParams):
    """``conditions`` of every photograph; by default they are drawn for each page."""

    conditions: Conditions | None = None


class CameraRecord(PageRecord):
    """The seed of the scene, its conditions, and pixels for each pixel at 150 dpi."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    conditions: Conditions
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]


class Camera(PageDistortion[CameraRecord, CameraParams]):
    """Photographs the page: perspective, bent paper, light, blur, sensor noise, surroundings."""

    name = "camera"

    def plan(self, head: PageRecord, rng: np.random.Generator) -> CameraRecord:
        """Draw the seed and the conditions."""
        seed = int(rng.integers(2**53))
        place: Condition = "outdoor" if rng.random() < OUTDOOR else "indoor"
        drawn = [name for name, chance in CHANCES.items() if rng.random() < chance]
        return CameraRecord(
            **head.model_dump(),
            seed=seed,
            conditions=self.params.conditions or (place, *drawn),
            scale=self.params.scale,
        )

    def render(self, page: np.ndarray, record: CameraRecord) -> np.ndarray:
        """Look each pixel up on the sheet or beside it, light it, blur it, and add the sensor."""
        scene = scene_of(record)
        out = _exposed(page, record, scene)
        kernel = psf(scene.kernel, scene.blur)
        if kernel.size > 1:
            out = cv2.filter2D(out, -1, kernel, borderType=cv2.BORDER_REPLICATE)
        _add_noise(out, record, scene)
        return stored(out, scene.quality)

    def place(self, boxes: np.ndarray, record: CameraRecord) -> np.ndarray:
        """Upright hulls of the boxes' outlines in the frame, to a pixel or so."""
        view = scene_of(record).view
        height, width = record.shape[:2]
        unit = float(max(height, width))
        moved = [np.empty((0, 4))]
        for x, y in outlines(boxes):
            moved.append(hulls(*view.seen((x - width / 2) / unit, (y - height / 2) / unit)))
        return np.concatenate(moved)


@dataclass(frozen=True, slots=True)
class Screen:
    """The monitor that shows the page."""

    pitch: float
    """Screen pixels for each pixel of the page."""
    moire: float
    """Share of the light that the moire takes where it is darkest."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a photograph is made of, at its intensity."""

    view: View
    light: np.ndarray
    """At the frame's nodes, float32 in [0, 1]."""
    glare: float
    kernel: int
    blur: float
    """Radius in pixels."""
    noise: float
    """Largest deviation in grey values."""
    tint: Vector
    """Factors of red and blue."""
    quality: int
    """JPEG quality; 100 stores the picture as it is."""
    surroundings: tuple[float, ...]
    """Colour of what is around the page, over white."""
    thumbs: tuple[tuple[float, float, float], ...]
    """Middle and radius of each thumb on the page, in pixels of the frame."""
    screen: Screen | None


@lru_cache(maxsize=2)
def scene_of(record: CameraRecord) -> Scene:
    """The scene that a record stands for."""
    draws: Iterator[float] = iter(uniforms(record.seed, DRAWS).tolist())
    i, conditions = record.intensity, record.conditions
    height, width = record.shape[:2]
    unit = float(max(height, width))

    def draw_value(low: float, high: float) -> float:
        return low + (high - low) * next(draws)

    def less(low: float, high: float) -> float:
        """1 less a part of what is missing to 1."""
        return 1 - i * (1 - draw_value(low, high))

    angles = [i * draw_value(-most, most) for most in (ROLL, SLANT, SLANT)]
    fill, position = less(*FILL), (i * draw_value(-1, 1), i * draw_value(-1, 1))
    dark = "underexposed" in conditions
    exposure = less(0.3, 0.55) if dark else less(0.8, 1.0)
    fall = draw_value(0.0, 0.12) if "outdoor" in conditions else draw_value(0.1, 0.35)
    direction, away = draw_value(0, 2 * math.pi), draw_value(0.6, 2)
    shade = i * draw_value(0.25, 0.55)
    bend, spread, turn = draw_value(-1, 1), draw_value(-1, 1), draw_value(0, 2 * math.pi)
    corner = (draw_value(0.2, 0.8), draw_value(0.2, 0.8))
    glare, kernel = i * draw_value(0.03, 0.12), int(draw_value(0, KERNELS))
    blur = i * draw_value(*BLUR) * record.scale
    noise = i * (draw_value(6, 14) if dark else draw_value(2, 6))
    tint = i * draw_value(-TINT, TINT)
    quality = round(100 - i * (100 - draw_value(*QUALITY)))
    grey = draw_value(0.12, 0.65)
    around = tuple(min(1.0, grey * draw_value(0.8, 1.2)) for _ in range(3))
    side, along, reach = draw_value(0, 1) < 0.5, draw_value(0.3, 0.8), draw_value(0.03, 0.06)

    size = (width / unit, height / unit)
    sheet = draw_sheet(draw_value, size, conditions).times(i)
    view = place_view(sheet, angles, size, (float(width), float(height)), fill, position)
    short = float(min(height, width))
    x, y = (axis / np.float32(short) for axis in nodes(record.shape))
    extent = (width / short, height / short)
    light = exposure * (1 - i * fall * falloff(x, y, extent, direction, away))
    if "shadow" in conditions:
        place = (corner[0] * extent[0], corner[1] * extent[1])
        shape = edge(place, turn, bend) if spread < 0 else hand(place, turn, bend, spread)
        inside = np.clip(0.5 - shape(x, y) / max(0.04, 1.5 * CELL / short), 0, 1)
        light = light * (1 - shade * inside * inside * (3 - 2 * inside))
    thumbs: tuple[tuple[float, float, float], ...] = ()
    if "hold" in conditions:
        edge_x = np.array(-size[0] / 2 if side else size[0] / 2)
        column, row = view.seen(edge_x, np.array((along - 0.5) * size[1]))
        thumbs = ((float(column), float(row), i * reach * short),)
    # Drawn last: a photograph of paper has the same draws as without this condition.
    monitor = None
    if "screen" in conditions:
        monitor = Screen(draw_value(*PIXELS) * view.scale / unit, i * draw_value(*MOIRE))
    return Scene(
        view,
        np.asarray(light, dtype=np.float32),
        glare,
        kernel,
        blur,
        noise,
        (1 + tint, 1 - tint),
        quality,
        around,
        thumbs,
        monitor,
    )


def _exposed(page: np.ndarray, record: CameraRecord, scene: Scene) -> np.ndarray:
    """The frame as the lens gets it: the sheet and its surroundings in their light."""
    height, width = page.shape[:2]
    unit = float(max(height, width))
    column, row = nodes(page.shape)
    x, y = scene.view.source(column, row)
    from_x = (x * unit + width / 2 - 0.5).astype(np.float32)
    from_y = (y * unit + height / 2 - 0.5).astype(np.float32)
    heights = scene.view.sheet.heights(x, y) * unit
    down, right = np.gradient(heights, CELL)
    facing = np.clip(right + down, -1, 1) * (math.sqrt(0.5) * SHADE)
    light = np.clip(scene.light * (1 - np.abs(facing) * (facing > 0)), 0, 1).astype(np.float32)
    texture = _texture(record, column.shape[1], row.shape[0])
    out = np.empty_like(page)
    tints, around = np.array([scene.tint[0], 1.0, scene.tint[1]]), np.array(scene.surroundings)
    if page.ndim == 2:
        tints, around = np.ones(1), around.mean(keepdims=True)
    for rows in strips(height):
        map_x, map_y = enlarged(from_x, rows, width), enlarged(from_y, rows, width)
        first = min(max(math.floor(map_y.min()) - 1, 0), height - 1)
        touched = slice(first, min(max(math.ceil(map_y.max()) + 3, first + 1), height))
        # How much of a pixel the sheet covers: one where it is inside by half a pixel.
        inside = np.minimum(
            np.minimum(map_x, np.float32(width - 1) - map_x),
            np.minimum(map_y, np.float32(height - 1) - map_y),
        )
        covered = np.clip(inside + 1, 0, 1)
        seen = cv2.remap(
            colourless(page[touched]),
            map_x,
            map_y - np.float32(touched.start),
            cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_CONSTANT,  # quicker beside the sheet than another border
            borderValue=(255, 255, 255),
        )
        lit = enlarged(light, rows, width) * np.float32(255)
        ground = enlarged(texture, rows, width) * lit * (1 - covered)
        lit *= covered
        planes = [_bright(plane, scene.glare) * lit for plane in cv2.split(seen)]
        bands = _moire(map_x, map_y, scene.screen) if scene.screen is not None else ()
        for channel, (over_white, tint) in enumerate(zip(around, tints, strict=True)):
            lit_sheet = planes[min(channel, len(planes) - 1)]
            if bands:
                lit_sheet = lit_sheet * bands[channel]
            # Rounds and saturates.
            plane = cv2.addWeighted(ground, over_white * tint, lit_sheet, tint, 0, dtype=cv2.CV_8U)
            if page.ndim == 2:
                out[rows] = plane
            else:
                out[rows, :, channel] = plane
    for middle_x, middle_y, radius in scene.thumbs:
        _draw_thumb(out, middle_x, middle_y, radius, scene)
    return out


def _bright(plane: np.ndarray, glare: float) -> np.ndarray:
    """A plane of the sheet over white, float32, with glare on the ink."""
    bright: np.ndarray = plane * np.float32((1 - glare) / 255) + np.float32(glare)
    return bright


def _moire(map_x: np.ndarray, map_y: np.ndarray, screen: Screen) -> tuple[np.ndarray, ...]:
    """The light that a screen's pixels leave to each colour, float32, where it is looked up.

    The camera takes one sample of a pattern about as fine as its own pixels; what it sees are the
    beats of the two. The colours' stripes lie beside each other, in thirds of a pixel.
    """
    step = np.float32(256 * screen.pitch)
    across, down = (np.floor(axis * step).astype(np.int32) for axis in (map_x, map_y))
    waves = (1 + np.cos(np.arange(256) * (2 * math.pi / 256))).astype(np.float32) / 2
    rows = np.take(waves, down & 255)
    bands = []
    for colour in range(3):
        columns = np.take(waves, (across + 256 * colour // 3) & 255)
        bands.append(1 - np.float32(screen.moire) * (columns + rows) / 2)
    return tuple(bands)


def _texture(record: CameraRecord, columns: int, rows: int) -> np.ndarray:
    """Smooth mottling of the surroundings at the nodes, float32 around 1."""
    small = uniforms(record.seed + 1, 40 * 40).reshape(40, 40).astype(np.float32)
    mottled = cv2.resize(small, (columns, rows), interpolation=cv2.INTER_CUBIC)
    texture: np.ndarray = 0.75 + 0.5 * mottled
    return texture


def _draw_thumb(out: np.ndarray, x: float, y: float, radius: float, scene: Scene) -> None:
    """Cover what a thumb hides, in place; it reaches in from outside the page."""
    half = round(radius)
    if half < 1:
        return
    skin = np.array([0.72, 0.55, 0.46]) * 255 * float(scene.light.mean())
    colour = skin.tolist() if out.ndim == 3 else [float(skin.mean())]
    cv2.ellipse(out, (round(x), round(y)), (2 * half, half), 0, 0, 360, colour, -1, cv2.LINE_AA)


def _add_noise(out: np.ndarray, record: CameraRecord, scene: Scene) -> None:
    """Add sensor noise, triangular over the grey values, in place."""
    if scene.noise <= 0:
        return
    height, width = out.shape[:2]
    row = width + -width % 8
    for number, rows in enumerate(strips(height)):
        count = rows.stop - rows.start
        raw = np.random.PCG64([record.seed, 2, number]).random_raw((count + 1) * row // 8)
        grain = raw.astype("<u8", copy=False).view(np.uint8).reshape(count + 1, row)[:, :width]
        # The difference of two rows is triangular, and costs one draw for each pixel.
        both = grain[1:].astype(np.float32) - grain[:-1]
        noise = both * np.float32(scene.noise / 255)
        part = out[rows].astype(np.float32) + (noise if out.ndim == 2 else noise[..., None])
        out[rows] = np.clip(np.rint(part), 0, 255)


def stored(out: np.ndarray, quality: int) -> np.ndarray:
    """The picture after a JPEG of this quality."""
    if quality >= 100:
        return out
    picture = out if out.ndim == 2 else cv2.cvtColor(out, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    flag = cv2.IMREAD_GRAYSCALE if out.ndim == 2 else cv2.IMREAD_COLOR
    opened = np.asarray(cv2.imdecode(data, flag))
    return opened if out.ndim == 2 else cv2.cvtColor(opened, cv2.COLOR_BGR2RGB)
