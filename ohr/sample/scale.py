"""A sample of any size, written group by group: the pages of a group are all that is in memory.

A group that is finished leaves a note of its documents and questions under ``.parts``. When all
are there, the notes are joined to ``documents.json`` and ``qas.json`` and go away. A run that was
killed goes on after the groups whose notes it finds.
"""

from __future__ import annotations

import errno
import json
import math
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ohr.errors import ConfigError, DatasetError, OhrError, StoreError
from ohr.plugins.randomness import generator_for
from ohr.sample import corpus, storage
from ohr.sample.attributes import check_attributes
from ohr.sample.choices import DIFFICULTY, Difficulty
from ohr.sample.origin import generator
from ohr.sample.questions.categories import category_records
from ohr.sample.questions.qas import record
from ohr.store.atomic import write_text
from ohr.types import PageRef, Status
from ohr.workers import WorkerPool

PARTS = ".parts"
CATEGORIES = "qas_categories.json"
RECIPE = "sample.json"
IN_PROCESS = 1
"""So few groups are written by this process; Typst's memory only grows with more."""

_RENEW = 3  # groups after which a worker is replaced: Typst keeps what it has laid out


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that the files of a sample depend on, beside the versions of its makers."""

    seed: int
    n_pages: int
    questions_per_page: float = 1.0
    attributes: tuple[str, ...] = ()
    images: bool = False
    difficulty: Difficulty = DIFFICULTY

    def identity(self) -> dict[str, Any]:
        """The recipe as JSON, with the versions."""
        return {
            **asdict(self),
            "attributes": list(self.attributes),
            **generator(),
        }


@dataclass(frozen=True, slots=True)
class Group:
    """A group of documents to write: their numbers and pages, and how many questions to ask."""

    number: int
    members: tuple[tuple[int, int], ...]
    n_questions: int

    @property
    def n_pages(self) -> int:
        """Pages of all its documents."""
        return sum(length for _, length in self.members)


def planned(recipe: Recipe) -> Iterator[Group]:
    """The groups of a sample. A longer sample begins with the same whole groups."""
    pages = 0
    for number, members in enumerate(corpus.groups(recipe.seed, recipe.n_pages, recipe.attributes)):
        before = math.floor(pages * recipe.questions_per_page)
        pages += sum(length for _, length in members)
        n_questions = math.floor(pages * recipe.questions_per_page) - before
        yield Group(number, tuple(members), n_questions)


def write_sample(
    recipe: Recipe, out: Path, *, workers: int = 1, progress: Callable[[int, int], None]
) -> bool:
    """Write a sample to ``out``; False if it is there already, whole.

    ``progress`` is called with the pages written and those of all. Raises ConfigError for a
    recipe that cannot be followed and for a folder with other things in it, StoreError if files
    cannot be written (a full disk), DatasetError if a document cannot be made.
    """
    check_attributes(recipe.attributes)
    if _claim(recipe, out):
        return False
    groups = list(planned(recipe))
    remaining = [group for group in groups if not _part(out, group.number).exists()]
    done = recipe.n_pages - sum(group.n_pages for group in remaining)
    progress(done, recipe.n_pages)
    try:
        for group in _written(recipe, out, remaining, workers):
            done += group.n_pages
            progress(done, recipe.n_pages)
        _assemble(recipe, out, len(groups))
    except OSError as error:
        raise _unwritable(out, error) from error
    return True


def write_categories(recipe: Recipe, out: Path) -> int:
    """Write ``qas_categories.json`` beside a sample's other files: of each document a question of
    each category that fits it. Returns how many. Raises StoreError.
    """
    serial = 0
    try:
        with storage.listing(out / CATEGORIES) as questions:
            for group in planned(recipe):
                for number, length in group.members:
                    written = corpus.document(
                        recipe.seed, number, length, recipe.attributes, recipe.difficulty
                    )
                    rng = generator_for(recipe.seed, "sample.categories", PageRef("", number))
                    about = (written.doc_id, written.title, written.pages, rng)
                    for entry in category_records(*about):
                        serial += 1
                        questions({**entry, "ID": f"category-{serial:05d}"})
    except OSError as error:
        raise _unwritable(out, error) from error
    return serial


def _written(recipe: Recipe, out: Path, remaining: list[Group], workers: int) -> Iterator[Group]:
    """The groups as they are finished."""
    if len(remaining) <= IN_PROCESS:
        for group in remaining:
            write_group((recipe, str(out), group))
            yield group
        return
    tasks = ((recipe, str(out), group) for group in remaining)
    with WorkerPool(write_group_guarded, workers=workers, max_tasks=_RENEW) as pool:
        for index, outcome in pool.run(tasks):
            if outcome.value:
                raise StoreError(outcome.value)
            if outcome.status not in (Status.OK, Status.EMPTY):
                raise DatasetError(f"group {remaining[index].number}: {outcome.detail}")
            yield remaining[index]


def write_group(task: tuple[Recipe, str, Group]) -> None:
    """Write the files of one group, its note last."""
    recipe, out, group = task
    folder = Path(out)
    stored = [
        storage.write_document(
            folder,
            corpus.document(recipe.seed, number, length, recipe.attributes, recipe.difficulty),
            images=recipe.images,
        )
        for number, length in group.members
    ]
    members = [document.written for document in stored]
    questions = corpus.group_questions(recipe.seed, members, group.n_questions)
    note = {
        "documents": [document.about for document in stored],
        "questions": [record("", question) for question in questions],
    }
    write_text(_part(folder, group.number), json.dumps(note, ensure_ascii=False))


def write_group_guarded(task: tuple[Recipe, str, Group]) -> str:
    """:func:`write_group` in a worker: an error that would strike every group is returned."""
    try:
        write_group(task)
    except OSError as error:
        return str(_unwritable(Path(task[1]), error))
    except OhrError as error:
        return str(error)
    return ""


def _unwritable(out: Path, error: OSError) -> StoreError:
    remedy = ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        remedy = ": free some space and give the same command again"
    return StoreError(f"cannot write to {out}: {error.strerror or error}{remedy}")


def _part(out: Path, number: int) -> Path:
    return out / PARTS / f"{number:06d}.json"


def _claim(recipe: Recipe, out: Path) -> bool:
    """Make the folder ours; whether the sample is there already."""
    identity = recipe.identity()
    try:
        if out.is_dir() and any(out.iterdir()):
            stored = _read(out / RECIPE) or _read(out / PARTS / RECIPE)
            if stored != identity:
                raise ConfigError(
                    f"{out} is not empty and holds no sample of these options: "
                    "choose another folder, or remove what is in it"
                )
            return (out / RECIPE).exists()
        write_text(out / PARTS / RECIPE, json.dumps(identity))
    except OSError as error:
        raise _unwritable(out, error) from error
    return False


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _assemble(recipe: Recipe, out: Path, n_groups: int) -> None:
    """Join the notes of all groups, one at a time."""
    serial = 0
    with (
        storage.listing(out / "documents.json") as documents,
        storage.listing(out / "qas.json") as questions,
    ):
        for number in range(n_groups):
            note = json.loads(_part(out, number).read_text("utf-8"))
            for about in note["documents"]:
                documents(about)
            for question in note["questions"]:
                serial += 1
                questions({**question, "ID": storage.question_id(serial)})
    write_text(out / RECIPE, json.dumps(recipe.identity(), indent=1) + "\n")
    shutil.rmtree(out / PARTS, ignore_errors=True)
