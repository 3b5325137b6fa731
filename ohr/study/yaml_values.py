"""Reads YAML from outside, with limits of size, aliases and depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from ohr.files.keys import hide_keys

MOST_CHARACTERS = 1_000_000
"""Largest length of a text, also after all aliases are written out."""
_MERGE = "tag:yaml.org,2002:merge"
"""Tag of ``<<``, which may come several times: all are merged."""
_TEXT = "tag:yaml.org,2002:str"
_NOT_TEXT = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "timestamp"))


def parse_yaml(text: str, is_text: Callable[[str], bool] = lambda key: False) -> Any:
    """The value of a YAML text. Raises ValueError with a line that says what is wrong.

    Two equal keys in one mapping are an error too; YAML itself would silently use the second.
    Where ``is_text`` is true for the dotted key (that of a list for its items, "" at the top), a
    value stays as it is written: ``2024`` and ``no`` are texts there.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"more than {MOST_CHARACTERS:,} characters")
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _written_out(node, {}) > MOST_CHARACTERS:
            raise ValueError(f"its aliases stand for more than {MOST_CHARACTERS:,} characters")
        _refuse_equal_keys(node, loader)
        _keep_texts(node, is_text)
        return loader.construct_document(node)
    except RecursionError as error:
        raise ValueError("nested too deeply, or within itself") from error
    except yaml.YAMLError as error:
        if hide_keys(text) == text:
            raise ValueError(" ".join(str(error).split())) from error
        # Its message quotes the text, perhaps a part of a key, which nothing would recognise.
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""
        problem = hide_keys(getattr(error, "problem", None) or "it cannot be read")
        raise ValueError(f"{problem}{where}") from None
    finally:
        loader.dispose()


def _keep_texts(node: yaml.Node, is_text: Callable[[str], bool], key: str = "") -> None:
    if isinstance(node, yaml.ScalarNode):
        if node.tag in _NOT_TEXT and is_text(key):
            node.tag = _TEXT
    elif isinstance(node, yaml.SequenceNode):
        for part in node.value:
            _keep_texts(part, is_text, key)
    elif isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode):
                _keep_texts(value, is_text, f"{key}.{name.value}" if key else name.value)


def _refuse_equal_keys(root: yaml.Node, loader: yaml.SafeLoader) -> None:
    """Raise ValueError for the first key that comes twice in one mapping, with its lines.

    Keys are compared as in Python: ``1`` equals ``1.0``, and ``a`` equals ``"a"``. Each node is
    visited once, however many aliases point to it.
    """
    seen: set[int] = set()
    waiting = [(root, "")]
    while waiting:
        node, path = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += [(part, path) for part in reversed(node.value)]
        elif isinstance(node, yaml.MappingNode):
            lines: dict[object, int] = {}
            inner = []
            for key, value in node.value:
                name = path
                if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                    name = f"{path}.{key.value}" if path else key.value
                    known_values, line = loader.construct_object(key), key.start_mark.line + 1
                    if known_values in lines:
                        both = dict.fromkeys((lines[known_values], line))
                        where = f"line{'s' * (len(both) > 1)} {' and '.join(map(str, both))}"
                        raise ValueError(f"the key {name!r} comes twice ({where}): keep one")
                    lines[known_values] = line
                inner.append((value, name))
            waiting += reversed(inner)


def _written_out(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Characters of a node with all aliases written out; each node is counted once."""
    if id(node) not in sizes:
        if isinstance(node, yaml.MappingNode):
            inner = [part for pair in node.value for part in pair]
        else:
            inner = node.value if isinstance(node, yaml.SequenceNode) else []
        own = 1 if inner else 1 + len(node.value)
        sizes[id(node)] = own + sum(_written_out(part, sizes) for part in inner)
    return sizes[id(node)]
