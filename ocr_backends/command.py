"""Any program that reads a page, by your own command line."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from ocr_backends._documents import Converted, DocumentEngine, DocumentParams
from ocr_backends._process import run
from ocr_backends.normalise import line_feeds
from ohr.errors import EngineError, MissingDependencyError
from ohr.files.bounded import read_bounded
from ohr.files.decoding import UndecodableError, decoded
from ohr.store.identity import file_digest
from ohr.types import Outcome

INPUT, OUTPUT = "{input}", "{output}"
TEXTS = (".md", ".mmd", ".txt")
MOST_BYTES = 40_000_000
_NAMED = 5


class CommandParams(DocumentParams):
    """``template``: the program and its arguments, as a list or a line quoted as for a shell (none
    is run). ``{input}`` stands for the page's file. ``{output}`` stands for a file to be written,
    or a folder for one ``.md`` or ``.txt`` file; a program that adds a suffix of its own may write
    one such file beside it. Without ``{output}``, standard output is read. Either is UTF-8, or
    UTF-16 with a byte-order mark. ``input``: a page is given as a PNG (``image``), or as a PDF of
    one page. ``revision``: a name for the version of the program, for changes that the files in the
    template (the program itself, a script, its settings) do not show; their content counts anyway.
    It is not passed to the program.
    """

    template: tuple[str, ...] = Field(min_length=1)
    input: Literal["image", "pdf"] = "image"
    revision: str = ""
    batch: Literal[1] = 1

    @field_validator("template", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return tuple(shlex.split(value)) if isinstance(value, str) else value

    @field_validator("template")
    @classmethod
    def _has_input(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not any(INPUT in part for part in value[1:]):
            raise ValueError("the template has no {input}: that is where the page's file goes")
        return value


class Command(DocumentEngine[CommandParams]):
    """A program that is run once per page, without a shell."""

    name = "command"
    version = "5"
    argument: ClassVar[str | None] = "template"
    license = "the program's"
    install = "install the program that the template names"

    def __init__(self, params: CommandParams) -> None:
        super().__init__(params)
        self.accepts = frozenset({self.params.input})

    def recognisers(self) -> frozenset[str]:
        """Its command: what that runs is not known."""
        return frozenset({shlex.join(self.params.template)})

    def convert(self, file: Path, count: int, folder: Path) -> Sequence[Converted]:
        output = folder / "output.md"
        # The program runs in a folder of its own, where relative paths would lead nowhere.
        named = {part: str(path) for part, path in self._files().items()}
        command = [
            named[part]
            if part in named
            else part.replace(INPUT, str(file)).replace(OUTPUT, str(output))
            for part in self.params.template
        ]
        printed = run(command, timeout_s=self.params.timeout_s, install=self.install, folder=folder)
        if not any(OUTPUT in part for part in self.params.template):
            return [_text(printed, "standard output")]
        return [_written(output)]

    def identity(self) -> dict[str, object]:
        return super().identity() | {"files": [file_digest(p) for p in self._files().values()]}

    def engine_version(self) -> str:
        """The revision. Raises MissingDependencyError where there is no such program."""
        self._files()
        return str(self.params.revision)

    def _files(self) -> dict[str, Path]:
        """The program, and what else the template names that is a file, as absolute paths.

        Raises MissingDependencyError.
        """
        program, *arguments = self.params.template
        program_path = shutil.which(program)
        if program_path is None:
            raise MissingDependencyError(f"command: no program {program!r}: {self.install}")
        paths = {part: Path(part) for part in arguments if _is_file(part)}
        return {
            part: path.absolute() for part, path in {program: Path(program_path), **paths}.items()
        }


def _is_file(argument: str) -> bool:
    path = Path(argument)
    try:
        # A plain word, such as "eng", is no file because there happens to be one of that name.
        return bool(path.suffix or "/" in argument) and path.is_file()
    except (OSError, ValueError):  # an argument that is no path at all
        return False


def _written(output: Path) -> str | Outcome[str]:
    """The text of the output file, of the only text in the output folder, or of the file beside it.

    Raises EngineError that names what the program wrote in place of it.
    """
    detail = ""
    if output.is_dir():
        texts = sorted(path for path in output.rglob("*") if path.suffix.lower() in TEXTS)
        if len(texts) != 1:
            raise EngineError(f"{len(texts)} texts in the output folder, 1 expected")
        output = texts[0]
    elif not output.is_file():
        files = sorted(path for path in output.parent.rglob("*") if path.is_file())
        texts = [path for path in files if path.suffix.lower() in TEXTS]
        if len(texts) != 1:
            names = ", ".join(path.name for path in files[:_NAMED])
            more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
            wrote = f"but {names}{more}" if files else "and nothing else"
            raise EngineError(f"the program wrote no {{output}} ({output.name}), {wrote}")
        output = texts[0]
        detail = f"{output.name} read in place of {{output}}, which the program did not write"
    try:
        text = _text(read_bounded(output, MOST_BYTES), output.name)
    except OSError as error:
        raise EngineError(f"{output.name} cannot be read: {error.strerror}") from error
    return Outcome(text, detail=detail) if detail else text


def _text(data: bytes, name: str) -> str:
    """What a program wrote, without the line feed or form feed that ends its output.

    Raises EngineError for bytes that are no text.
    """
    try:
        return line_feeds(decoded(data)).strip()
    except UndecodableError as error:
        message = str(error).partition(": save")[0]
        raise EngineError(f"the program's {name} is {message}: have it write UTF-8") from error
