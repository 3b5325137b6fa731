"""Loads page images from files with Pillow."""

from __future__ import annotations

import struct
import warnings
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

import numpy as np
from PIL import ExifTags, Image, ImageFile, ImageOps, JpegImagePlugin, TiffImagePlugin

from ohr.errors import EngineError
from ohr.files.first_bytes import describe_bytes

LIGHT = 200.0
"""Ink with at least this mean grey is light: the image gets a black background ..."""
MOSTLY_TRANSPARENT = 0.5
"""... if the mean opacity is below this."""
MAX_PIXELS = 100_000_000
"""Largest page image that is opened: 10,000 x 10,000 pixels."""
_SMALLER = "make it smaller, or cut it into pages"

IMAGE_SUFFIXES = frozenset(
    {
        *(".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".webp", ".tif", ".tiff", ".bmp", ".dib"),
        *(".gif", ".jp2", ".j2k", ".jpf", ".jpx", ".jpc", ".j2c", ".ppm", ".pgm", ".pbm", ".pnm"),
        *(".pcx", ".tga", ".avif", ".heic", ".heif"),
    }
)
"""Suffixes of the formats of scans and photographs."""
_TURNED = range(2, 9)
"""EXIF orientations of images that are not stored upright."""
_LYING = range(5, 9)
"""EXIF orientations of images that lie on a side."""
_MAPPED = frozenset({"L", "P", "RGBA", "RGBX", "CMYK", "I;16", "I;16L", "I;16B"})
"""Modes whose pixels Pillow maps directly from an uncompressed file."""
_SUBFILE_TYPE, _SAMPLE_FORMAT, _SIGNED = 254, 339, 2
_MOVING = frozenset({"GIF", "PNG", "WEBP", "AVIF"})
"""Formats whose frames are an animation. The frames of a JPEG are views of one picture."""
_NO_PAGE = 0b101  # a thumbnail, or a transparency mask
_EXIF_UNKNOWN = 72
"""The dpi in EXIF data for an unknown resolution (XResolution, Exif 2.32), and Pillow's default."""
_BROKEN_IMAGE = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)
_BROKEN_TAGS = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    SyntaxError,
    struct.error,
)


class _CutOffError(OSError):
    """A TIFF of which only the first ``pages`` can be read."""

    def __init__(self, pages: int, error: Exception) -> None:
        super().__init__(f"what follows its page {pages} cannot be read: {error}")
        self.pages = pages


@cache
def image_suffixes() -> frozenset[str]:
    """The suffixes of page images that Pillow reads here; HEIC, for example, needs a plug-in."""
    Image.init()
    known_values = Image.registered_extensions()
    return frozenset(suffix for suffix in IMAGE_SUFFIXES if known_values.get(suffix) in Image.OPEN)


def load_image(path: Path, page_no: int | None = None) -> np.ndarray:
    """A page image file as uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB.

    ``page_no`` is the 0-based page of a TIFF of several pages. The image is turned upright by its
    EXIF data. Transparent images get a white background, or a black one if their ink is light.
    16-bit grey keeps its upper 8 bits. Raises EngineError, which says what the bytes are, also for
    a file of several pages without a ``page_no``.
    """
    try:
        with _opened(path) as image:
            # By its name Pillow would map a TIFF that lies on a side, with its sides swapped.
            image.filename = ""
            if page_no is not None:
                _seek_page(image, page_no)
            check_size(*image.size, path.name, _SMALLER)
            if page_no is None and (pages := _pages(image)) > 1:
                raise EngineError(
                    f"{path.name} has {pages} pages, but an image is read as one: "
                    "split it, or make it a PDF"
                )
            if image.mode in ("I", "F"):
                raise EngineError(
                    f"{path.name} has {_numbers(image)} for pixels, and where white is nothing "
                    "says: make it an image of 8 bits, or of 16 bits without a sign"
                )
            image.load()
            bits = _bits(image)
            mode = "L" if image.mode in ("1", "L") or bits > 8 else "RGB"
            if _orientation(image) in _TURNED:
                # It turns the image, and then takes the turn out of the tags, damaged or not.
                with suppress(*_BROKEN_TAGS):
                    ImageOps.exif_transpose(image, in_place=True)
            if bits > 8:  # Pillow would cut off what is above 255
                return (np.array(image).astype(np.uint16) >> (bits - 8)).astype(np.uint8)
            if not _is_transparent(image):
                return np.array(image.convert(mode))
            ink = image.convert("RGBA")
            paper = Image.new("RGBA", image.size, "black" if _is_light(ink) else "white")
            paper.alpha_composite(ink)
            return np.array(paper.convert(mode))
    except (*_BROKEN_IMAGE, *_BROKEN_TAGS) as error:
        raise EngineError(f"cannot read the image {path.name}: {_why(path, error)}") from error


def _opened(path: Path) -> ImageFile.ImageFile:
    """An image file before its pixels are read. Pillow's warning of a large one is left out, since
    the largest that is read is larger.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        return Image.open(path)


def _why(path: Path, error: Exception) -> str:
    """Why an image file cannot be read."""
    if isinstance(error, Image.DecompressionBombError):  # Pillow names its own, larger limit
        return f"it has more than the {MAX_PIXELS:,} pixels that are read; {_SMALLER}"
    return describe_bytes(path, expected="image") or str(error)


def _is_light(image: Image.Image) -> bool:
    """Whether the ink of a mostly transparent RGBA image would vanish on white."""
    pixels = np.asarray(image)
    alpha = pixels[:, :, 3].astype(np.float32) / 255
    if not 0 < alpha.mean() < MOSTLY_TRANSPARENT:
        return False
    grey = np.asarray(image.convert("RGB").convert("L")).astype(np.float32)
    return float((grey * alpha).sum() / alpha.sum()) >= LIGHT


def image_marks(path: Path) -> str | None:
    """The processing of an image file beyond decoding, as text; None for a plain file.

    A file that cannot be opened counts as plain: reading it fails with the reason.
    """
    try:
        with _opened(path) as image:
            marks = {
                "one page": _pages(image) > 1,
                "upright": _orientation(image) in _TURNED,
                "on white or black": _is_transparent(image),
                "deep": image.mode.startswith(("I", "F")),
                "not mapped": _was_mixed(image),
            }
    except _BROKEN_IMAGE:
        return None
    return ", ".join(mark for mark, holds in marks.items() if holds) or None


def _orientation(image: Image.Image) -> int:
    """The EXIF orientation, 1 to 8; 1 if it is missing or invalid."""
    try:
        orientation = image.getexif().get(ExifTags.Base.Orientation, 1)
    except _BROKEN_TAGS:
        return 1
    return orientation if isinstance(orientation, int) else 1


def _was_mixed(image: Image.Image) -> bool:
    """Whether it is a TIFF on a side whose pixels Pillow would map, which mixes up its rows."""
    if not isinstance(image, TiffImagePlugin.TiffImageFile) or _orientation(image) not in _LYING:
        return False
    raw = len(image.tile) == 1 and image.tile[0].codec_name == "raw"
    return raw and image.mode in _MAPPED


def _bits(image: Image.Image) -> int:
    """Bits of a grey pixel: 16, or the 12 that some scanners write; 8 for other images."""
    if not image.mode.startswith("I;16"):
        return 8
    if isinstance(image, TiffImagePlugin.TiffImageFile):
        return int(image.tag_v2.get(TiffImagePlugin.BITSPERSAMPLE, (16,))[0])
    return 16


def _numbers(image: Image.Image) -> str:
    """``numbers of 32 bits``; a TIFF's may have 16 and a sign, which Pillow opens as 32."""
    if image.mode == "F":
        return "floating-point numbers"
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return "numbers of 32 bits"
    bits = int(image.tag_v2.get(TiffImagePlugin.BITSPERSAMPLE, (32,))[0])
    signed = int(image.tag_v2.get(_SAMPLE_FORMAT, (1,))[0]) == _SIGNED
    return f"numbers of {bits} bits{' with a sign' if signed else ''}"


def _is_transparent(image: Image.Image) -> bool:
    """Whether an image has an alpha channel or a transparent colour."""
    held = image.mode in ("1", "L", "LA", "P", "PA", "RGB", "RGBA")
    return held and image.has_transparency_data


def image_size(path: Path) -> tuple[int, int]:
    """Width and height of a page image in pixels, upright, as :func:`load_image` would give them.

    Only the file's header is read. Raises EngineError.
    """
    try:
        with _opened(path) as image:
            width, height = image.size
            return (height, width) if _orientation(image) in _LYING else (width, height)
    except _BROKEN_IMAGE as error:
        raise EngineError(f"cannot read the image {path.name}: {_why(path, error)}") from error


def tiff_pages(path: Path) -> int:
    """The number of pages of a TIFF, without thumbnails and masks; 1 for other images.

    Where what follows a page cannot be read, that counts as one more page, which then fails: the
    pages before it are not lost, nor is the loss. Raises EngineError for a file that cannot be
    opened.
    """
    try:
        with _opened(path) as image:
            if not isinstance(image, TiffImagePlugin.TiffImageFile):
                return 1
            try:
                return max(1, _pages(image))
            except _CutOffError as error:
                return error.pages + 1
    except _BROKEN_IMAGE as error:
        raise EngineError(f"cannot read the image {path.name}: {_why(path, error)}") from error


def _seek_page(image: Image.Image, page_no: int) -> None:
    """Go to a page of a TIFF, past thumbnails and masks. Raises OSError if there is none."""
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        raise OSError(f"it has no page {page_no + 1}")
    before = 0
    for number in count():  # n_frames would read to the end, which may be cut off
        try:
            image.seek(number)
        except EOFError:
            break
        except _BROKEN_TAGS as error:
            raise _CutOffError(before, error) from error
        if _is_page(image):
            if before == page_no:
                return
            before += 1
    raise OSError(f"it has no page {page_no + 1}")


def _pages(image: Image.Image) -> int:
    """The number of pages of a TIFF, without thumbnails and masks, or of frames of an animation.

    Raises OSError for a file that cannot be read to its end: pages may be missing.
    """
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return int(getattr(image, "n_frames", 1)) if image.format in _MOVING else 1
    pages = 0
    try:
        for number in count():
            image.seek(number)
            pages += _is_page(image)
    except EOFError:
        pass  # after the last one
    except _BROKEN_TAGS as error:
        raise _CutOffError(max(pages, 1), error) from error
    image.seek(0)
    return pages


def _is_page(image: TiffImagePlugin.TiffImageFile) -> bool:
    """Whether a TIFF's frame is a page by its tag; true if the tag is damaged."""
    try:
        return not int(image.tag_v2.get(_SUBFILE_TYPE, 0)) & _NO_PAGE
    except _BROKEN_TAGS:
        return True


def image_dpi(path: Path) -> int | None:
    """The dpi that an image file states, if it is between 30 and 1200; else None."""
    try:
        with _opened(path) as image:
            named = round(float(image.info["dpi"][0]))
            is_jpeg = isinstance(image, JpegImagePlugin.JpegImageFile)
            if named == _EXIF_UNKNOWN and is_jpeg and not image.info.get("jfif_unit"):
                return None
    except (*_BROKEN_IMAGE, KeyError, TypeError):
        return None
    return named if 30 <= named <= 1200 else None


def check_size(width: int, height: int, what: str, fix: str = "lower the dpi") -> None:
    """Raise EngineError for a page image without pixels, or too many; ``fix`` says what helps."""
    if width < 1 or height < 1:
        raise EngineError(f"{what}: an image of {width} x {height} pixels")
    if width * height > MAX_PIXELS:
        raise EngineError(
            f"{what}: {width} x {height} pixels, more than the {MAX_PIXELS:,} that are read; {fix}"
        )
