"""Puts into pages what the code itself says, while mkdocs builds the site.

A line ``<!-- made: commands run -->``, ``<!-- made: options study -->`` or
``<!-- made: plugins retriever -->`` of a page is replaced by the text that it names.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from markdown.extensions.toc import slugify
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from experiments.__main__ import GROUPS, SECTIONS, SINGLE
from ocr_backends.document_models import DOCUMENT_MODELS
from ohr import registry
from ohr.display.options import DATASET, Option, option_table
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec
from ohr.study.config import DatasetConfig
from ohr.study.metrics import SETS

SINGLES = "single"
"""The page of the commands that belong to no group."""
MARK = re.compile(r"^<!-- made: (\w+)(?: (\w+))? -->$", re.MULTILINE)
ELSEWHERE = re.compile(
    r"""<(?:script|img|link|iframe)[^>]*(?:src|href)=["']?(?:https?:)?//[^>]*>"""
)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """What mkdocs calls for each page."""
    return MARK.sub(lambda mark: MAKERS[mark[1]](*filter(None, [mark[2]])), markdown)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Refuse a page that would load something from elsewhere."""
    for load in ELSEWHERE.findall(output):
        raise PluginError(f"{page.file.src_uri} loads from elsewhere: {load}")
    return output


@event_priority(-100)
def on_post_build(config: MkDocsConfig, **_: Any) -> None:
    """Write the index of the search as a script too, which browsers read from the disk."""
    index = Path(config.site_dir) / "search" / "search_index.json"
    index.with_suffix(".js").write_text(f"var __index = {index.read_text('utf-8')}", "utf-8")


def commands(group: str = "") -> str:
    """The commands of a group: what each does and takes. Without a group, a list of them all."""
    if not group:
        return command_index()
    parts = [] if group == SINGLES else [GROUPS[group][0]]
    for name, main, about in command_modules(group):
        parts += [f"## {name}", markdown_of(about), arguments(typer.main.get_command(main))]
    return "\n\n".join(parts)


def command_index() -> str:
    """A table for each page of commands. Each row has the anchor of its command on that page."""
    parts = []
    for group in (SINGLES, *GROUPS):
        page = f"commands/{group}.md"
        title = "Single commands" if group == SINGLES else f"ohr {group}"
        rows = []
        for name, main, _ in command_modules(group):
            anchor = slugify(name, "-")
            about = (inspect.getdoc(main) or "").partition("\n")[0]
            rows.append([f"[`{name}`]({page}#{anchor}){{ #{anchor} }}", markdown_of(about)])
        parts += [f"## [{title}]({page})", table(["command", "what it does"], rows)]
    return "\n\n".join(parts)


def command_modules(group: str) -> Iterator[tuple[str, Any, str]]:
    """Name, command line and docstring of each command of a group, in the order of its help."""
    names = [name for listed in SECTIONS.values() for name in listed if name in SINGLE]
    paths = (
        {name: SINGLE[name] for name in names}
        if group == SINGLES
        else {f"{group} {name}": module for name, module in GROUPS[group][1].items()}
    )
    for path, name in paths.items():
        module = importlib.import_module(f"experiments.{name}")
        yield f"ohr {path}", module.main, module.__doc__ or ""


def arguments(command: Any) -> str:
    """A table of a command's arguments and options."""
    rows = []
    for parameter in command.params:
        if "--debug" in parameter.opts:
            continue
        name = parameter.metavar if parameter.param_type_name == "argument" else None
        name = name or " ".join(parameter.opts)
        default = parameter.default
        shown = "" if default in (None, False, "", ()) or callable(default) else f"`{default}`"
        rows.append([f"`{name}`", parameter.help or "", "required" * parameter.required or shown])
    return table(["argument", "meaning", "default"], rows)


def profiles() -> str:
    """A table of the document models that ``openai_vlm`` knows."""
    rows = [
        [
            f"`{name}`",
            f"`{model.prompt}`",
            f"{model.max_tokens:,}",
            f"{model.max_side:,} a side" if model.max_side else f"{model.max_pixels:,}",
            model.lacks or "nothing that changes a page's text",
        ]
        for name, model in DOCUMENT_MODELS.items()
    ]
    return table(["profile", "prompt", "tokens", "pixels", "what the vendor's pipeline adds"], rows)


def options(model: str) -> str:
    """A table of the options of a study, or of its dataset, as ``--help`` has them."""
    rows = [
        [
            f"`{option.key}`",
            markdown_of(meaning_of(option)),
            option.default and f"`{option.default}`",
        ]
        for group, listed in option_table().items()
        for option in listed
        if (group == DATASET) == (model == "dataset")
    ]
    return table(["option", "meaning", "default"], rows)


def meaning_of(option: Option) -> str:
    """What an option means, and the values that it takes."""
    return f"{option.meaning} ({option.values})" if option.values else option.meaning


def plugins(kind: str) -> str:
    """A table of the built-in plug-ins of a kind, with their parameters."""
    rows = []
    for name in registry.known(kind):
        cls = registry.plugin_class(kind, name)
        about = markdown_of(inspect.getdoc(cls) or "").partition("\n\n")[0]
        if issubclass(cls, OcrBackend):
            about += f" Reads {', '.join(accepted(cls))}; returns {cls.returns}."
            about += f" Licence: {cls.license}." if cls.license else ""
        fields = cls.Params.model_fields.items()
        if kind == "dataset":  # the study's own options set these
            fields = [pair for pair in fields if pair[0] not in DatasetConfig.model_fields]
        parameters = [f"`{key}`" + default_text(field) for key, field in fields]
        rows.append([f"`{name}`", about, ", ".join(parameters)])
    return table(["name", "what it is", "parameters and defaults"], rows)


def metrics() -> str:
    """A table of the built-in metrics, from what they declare."""
    rows = []
    sets = {spec.label: name for name, specs in SETS.items() for spec in specs}
    labels = {spec.name: spec.label for specs in SETS.values() for spec in specs}
    for name in dict.fromkeys([*labels, *registry.known("metric")]):
        cls = registry.plugin_class("metric", name)
        about = markdown_of(inspect.getdoc(cls) or "").partition("\n\n")[0]
        about += f" Needs {', '.join(sorted(cls.needs))}." if cls.needs else ""
        if len(cls.protocols) == 1:
            about += f" Under `scoring={min(cls.protocols)}` alone."
        better = "more" if cls.higher_is_better else "less"
        rows.append([f"`{name}`", cls.of, about, better, f"{cls.missing:g}", cls.version,
                     sets.get(labels.get(name, ""), "")])  # fmt: skip
    return table(["name", "of", "what it is", "better", "a failure scores", "version", "in"], rows)


def accepted(cls: type[OcrBackend]) -> Sequence[str]:
    """What an engine reads; where its parameters decide, what it reads by default."""
    if not isinstance(cls.accepts, frozenset):
        return ["what its parameters say"]
    return sorted({"image": "images", "pdf": "PDFs"}[what] for what in cls.accepts)


def write_yaml(value: Any) -> str:
    """``[eng]``, ``true``, ``bm25``."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(write_yaml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return value.name if isinstance(value, PluginSpec) else f"{value}"


def default_text(field: FieldInfo) -> str:
    """`` = `3` `` of a plug-in's parameter, or that it must be given."""
    if field.is_required():
        return " (required)"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, PluginSpec):
        return f" = `{value.name}`"
    if isinstance(value, BaseModel):
        on = [name for name, switch in value.model_dump().items() if switch]
        return f" ({', '.join(on)})"
    return "" if value in (None, "", (), {}) else f" = `{write_yaml(value)}`"


def markdown_of(text: str) -> str:
    """A docstring as Markdown: one paragraph a paragraph, code in single backticks."""
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"`\1`", inspect.cleandoc(text))
    return text.replace("``", "`")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; bars within cells are escaped."""
    lines = [header, ["---"] * len(header), *rows]
    cells = [[" ".join(str(cell).split()).replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


MAKERS: Mapping[str, Callable[..., str]] = {
    "commands": commands,
    "metrics": metrics,
    "options": options,
    "plugins": plugins,
    "profiles": profiles,
}
