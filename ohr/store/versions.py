"""Versions of everything that can change a result."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    "ohr bm25s matplotlib numpy onnxruntime opencv-python-headless pandas pillow pyarrow pydantic "
    "pypdfium2 pystemmer pytesseract rapidfuzz rapidocr scipy typst"
).split()


def versions() -> dict[str, str]:
    """Versions of Python, the platform and the packages that can change a result."""
    own = {"python": platform.python_version(), "platform": platform.platform()}
    return own | {package: _version(package) for package in PACKAGES}


@cache
def _version(package: str) -> str:
    """A package's version; a study asks three times, and each time parses all its metadata."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
