"""Versions of what can change a result."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    "ohr bm25s matplotlib numpy onnxruntime opencv-python-headless pandas pillow pyarrow pydantic "
    "pypdfium2 pystemmer pytesseract rapidfuzz rapidocr scipy typst"
).split()


def versions() -> dict[str, str]:
    """Versions of Python, the platform and the packages that can change a result."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
