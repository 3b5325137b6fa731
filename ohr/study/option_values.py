"""The values of a study's options as they are typed: strings are strings, lists have commas.

``dpi=100``, ``engines=a,b`` and ``dataset.path=2024`` are read by the type of their field. YAML is
only for what has structure: ``engines={name: tesseract, params: {psm: 6}}``, ``levels=[mild]``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from ohr.errors import ConfigError
from ohr.files.keys import hide_keys
from ohr.files.typed_lists import split_list
from ohr.registry import PluginSpec
from ohr.study.yaml_values import parse_yaml


def read_option(key: str, annotation: Any, texts: Sequence[str]) -> Any:
    """The value of an option from the texts that were given for it, one for each time.

    A list has the items of all of them. Raises ConfigError for another option given twice, and for
    YAML that cannot be read.
    """
    if is_list(annotation):
        if list(texts) == [""] or (list(texts) == ["null"] and _holds(annotation, NoneType)):
            return None
        return [item for text in texts for item in _items(key, annotation, text)]
    if len(texts) > 1:
        given = " and ".join(hide_keys(text) for text in texts)
        raise ConfigError(f"{key} is given {len(texts)} times ({given}): keep one")
    text = texts[0]
    if text == "":
        return None
    if _is_text(annotation):
        return text
    if names_plugin(annotation):
        return None if text == "null" else plugin_value(key, text)
    return _yaml(key, text)


def is_list(annotation: Any) -> bool:
    """Whether a field takes several values."""
    return _holds(annotation, tuple)


def holds_text(annotation: Any) -> bool:
    """Whether a field's value, or each of its items, is text: a name or a path."""
    if is_list(annotation):
        return any(_is_text(item) for item in _item_types(annotation))
    return _is_text(annotation)


def is_switch(annotation: Any) -> bool:
    """Whether a field is on or off."""
    return _holds(annotation, bool)


def names_plugin(annotation: Any) -> bool:
    """Whether a field's value is a plug-in."""
    return _holds(annotation, PluginSpec)


def plugin_value(key: str, text: str) -> Any:
    """A plug-in as it is typed: its text, or the mapping of ``{name: …}``. Raises ConfigError."""
    return _yaml(key, text) if text.startswith("{") else text


def _items(key: str, annotation: Any, text: str) -> list[Any]:
    # "[draft] reports" is the name of a folder.
    if text.startswith("[") and (text.endswith("]") or not holds_text(annotation)):
        value = _yaml(key, text, holds_text(annotation))
        return value if isinstance(value, list) else [value]
    items = split_list(text)
    if "" in items:
        raise ConfigError(f"{key}={hide_keys(text)}: an item of the list is empty")
    if any(names_plugin(item) for item in _item_types(annotation)):
        return [plugin_value(key, item) for item in items]
    return items if holds_text(annotation) else [_yaml(key, item) for item in items]


def _yaml(key: str, text: str, only_texts: bool = False) -> Any:
    try:
        return parse_yaml(text, is_text=lambda _: only_texts)
    except ValueError as error:
        raise ConfigError(
            f"cannot read {hide_keys(f'{key}={text}')!r}: the value is not YAML: {error}"
        ) from error


def _parts(annotation: Any) -> Iterator[Any]:
    """The types of a union, without what ``Annotated`` adds."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _parts(get_args(annotation)[0])
    elif origin in (Union, UnionType):
        for part in get_args(annotation):
            yield from _parts(part)
    else:
        yield annotation


def _holds(annotation: Any, kind: type) -> bool:
    return any((get_origin(part) or part) is kind for part in _parts(annotation))


def _is_text(annotation: Any) -> bool:
    return _holds(annotation, str) or _holds(annotation, Path) or _holds(annotation, Literal)  # type: ignore[arg-type]


def _item_types(annotation: Any) -> list[Any]:
    lists = [part for part in _parts(annotation) if get_origin(part) is tuple]
    return [item for part in lists for item in get_args(part) if item is not Ellipsis]


def label_by_prompt(readers: tuple[PluginSpec, ...]) -> tuple[PluginSpec, ...]:
    """Readers, one for each prompt of a list, with their prompt in their label where they would
    otherwise have the same one: ``openai, short`` for ``prompt: prompts/short.txt``.
    """
    single = list(chain.from_iterable(map(_one_prompt_each, readers)))
    labels = Counter(reader.label for reader in single)
    return tuple(
        reader.model_copy(update={"label": f"{reader.label}, {Path(prompt).stem}"})
        if labels[reader.label] > 1 and isinstance(prompt := reader.params.get("prompt"), str)
        else reader
        for reader in single
    )


def _one_prompt_each(reader: PluginSpec) -> list[PluginSpec]:
    prompts = reader.params.get("prompt")
    if not isinstance(prompts, list | tuple) or not prompts:
        return [reader]
    return [
        reader.model_copy(update={"params": reader.params | {"prompt": prompt}})
        for prompt in prompts
    ]
