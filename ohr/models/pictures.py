"""Pictures as servers take them: PNG, so that no pixel is lost on the way."""

from __future__ import annotations

import base64
import io

from PIL import Image


def png(picture: Image.Image) -> bytes:
    """The picture as a PNG file, packed fast."""
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def data_url(picture: Image.Image) -> str:
    """The picture as a PNG in a ``data:`` address."""
    return "data:image/png;base64," + base64.b64encode(png(picture)).decode("ascii")
