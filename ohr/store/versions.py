"""Versions of everything that can change a result."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    "ohr bm25s matplotlib numpy onnxruntime opencv-python-headless pandas pillow pyarrow pydantic "
    "pypdfium2 pystemmer pytesseract rapidfuzz rapidocr scipy typst"
).split()


def versions() -> dict[str, str]:
    """Versions of Python, the platform and the packages that can change a result."""
    by_package = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            by_package[package] = version(package)
        except PackageNotFoundError:
            by_package[package] = "not installed"
    return by_package
