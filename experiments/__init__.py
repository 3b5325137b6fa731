"""The commands of the app ``ohr``: ``python -m experiments.noise_curve`` is one of them."""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from experiments._commands import EARLIER
from ohr.working_folder import put_folder_last

if sys.argv[:1] == ["-m"]:  # as Python names a program of which it has only imported the package
    put_folder_last()


class _EarlierNames:
    """Finds a command's module by its earlier name too."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, last = name.rpartition(".")
        if package != __name__ or last not in EARLIER:
            return None
        return spec_from_file_location(name, Path(__file__).with_name(f"{EARLIER[last]}.py"))


sys.meta_path.append(_EarlierNames)
