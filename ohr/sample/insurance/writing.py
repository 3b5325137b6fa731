"""The insurance set as files, in the layout of the sample."""

from __future__ import annotations

import json
from pathlib import Path

from ohr.errors import ConfigError
from ohr.sample import storage
from ohr.sample.insurance.policies import policies, questions
from ohr.sample.origin import generator
from ohr.sample.scale import RECIPE
from ohr.store.atomic import write_text


def write_insurance(seed: int, out: Path, *, images: bool = False) -> bool:
    """Write the 15 documents and 300 questions of a seed; False if they are there already.

    Raises ConfigError for a folder with other things in it, and StoreError.
    """
    identity = {"corpus": "insurance", "seed": seed, "images": images, **generator()}
    if out.is_dir() and any(out.iterdir()):
        if _stored_identity(out / RECIPE) != identity or not storage.is_complete(out):
            raise ConfigError(
                f"{out} is not empty and holds no insurance set of these options: "
                "choose another folder, or remove what is in it"
            )
        return False

    def write(folder: Path) -> None:
        stored = [
            storage.write_document(folder, document, images=images)
            for document, _, _ in policies(seed)
        ]
        with storage.listing(folder / "documents.json") as add:
            for document in stored:
                add(document.about)
        with storage.listing(folder / "qas.json") as add:
            for question in questions(seed):
                add(question)
        write_text(folder / RECIPE, json.dumps(identity, indent=1) + "\n")

    storage.ensure(out, write)
    return True


def _stored_identity(path: Path) -> object:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
