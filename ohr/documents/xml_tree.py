"""Untrusted XML as a tree: declared entities are refused, and nothing outside the file is read."""

from __future__ import annotations

from collections.abc import Iterator
from html.entities import html5
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from ohr.errors import EngineError

DEEPEST = 100
"""Elements within one another; a page of hOCR has eight."""


def parse_xml(data: bytes) -> Element:
    """The root element, names without their namespaces.

    A document type is passed over, and an entity that is declared nowhere reads as HTML's of that
    name (``&nbsp;``), or as nothing. Raises EngineError for what is not XML, declares entities or
    is nested more than :data:`DEEPEST` deep.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    # As if entities might be declared elsewhere, where nothing is read: else HTML's are an error.
    parser.UseForeignDTD(True)
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise EngineError(f"XML nested more than {DEEPEST} deep")
        builder.start(_local(name), {_local(key): text for key, text in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_local(name))

    def entity(*_: object) -> None:
        raise EngineError("XML that declares entities is not read")

    def elsewhere(*_: object) -> int:
        return 1

    def skipped(name: str, is_parameter: bool) -> None:
        if not is_parameter:
            builder.data(html5.get(f"{name};", ""))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = entity
    parser.SkippedEntityHandler = skipped
    parser.ExternalEntityRefHandler = elsewhere
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise EngineError(f"file is not XML: {error}") from error
    return builder.close()


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def children(element: Element, *names: str) -> Iterator[Element]:
    """The element's own children of some names, in order."""
    return (child for child in element if child.tag in names)


def words(text: str | None) -> str:
    """White space collapsed."""
    return " ".join((text or "").split())


def sort_elements(named: dict[str, Element], order: list[str]) -> list[Element]:
    """Elements as their ids are listed; the others follow in the order of the file."""
    listed = dict.fromkeys(name for name in order if name in named)
    return [named[name] for name in [*listed, *(name for name in named if name not in listed)]]
