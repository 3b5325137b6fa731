"""Reads YAML that comes from outside: bounded in size, in aliases and in depth."""

from __future__ import annotations

from typing import Any

import yaml

MOST_CHARACTERS = 1_000_000
"""Of a text, and of what it stands for once every alias is written out."""


def parse_yaml(text: str) -> Any:
    """The value of a YAML text. Raises ValueError with a line that says what is wrong."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"more than {MOST_CHARACTERS:,} characters")
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _written_out(node, {}) > MOST_CHARACTERS:
            raise ValueError(f"its aliases stand for more than {MOST_CHARACTERS:,} characters")
        return loader.construct_document(node)
    except RecursionError as error:
        raise ValueError("nested too deeply, or within itself") from error
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error
    finally:
        loader.dispose()


def _written_out(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Characters of a node with every alias written out; counted once for each node."""
    if id(node) not in sizes:
        if isinstance(node, yaml.MappingNode):
            inner = [part for pair in node.value for part in pair]
        else:
            inner = node.value if isinstance(node, yaml.SequenceNode) else []
        own = 1 if inner else 1 + len(node.value)
        sizes[id(node)] = own + sum(_written_out(part, sizes) for part in inner)
    return sizes[id(node)]
