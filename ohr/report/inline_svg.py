"""Figures as inline SVG for an HTML page, with selectable text and without style sheets."""

from __future__ import annotations

import re
from xml.etree import ElementTree

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_LEFT_OUT = {f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"}
_URL = re.compile(r"url\(#([^)]+)\)")


def inline_svg(svg: bytes, prefix: str, title: str) -> str:
    """An SVG file as an element for an HTML page.

    ``style`` attributes become SVG attributes, since the page's security policy forbids inline
    styles. Ids get ``prefix``, so that they are unique in the page. ``title`` is the text for
    screen readers.
    """
    root = ElementTree.fromstring(svg)
    _strip(root)
    for node in root.iter():
        for part in filter(None, node.attrib.pop("style", "").split(";")):
            name, _, value = part.partition(":")
            node.set(name.strip(), value.strip())
        for name, value in list(node.attrib.items()):
            if name == "id":
                node.set(name, prefix + value)
            elif name == f"{{{_XLINK}}}href":
                del node.attrib[name]
                node.set("href", f"#{prefix}{value.removeprefix('#')}")
            elif "url(#" in value:
                node.set(name, _URL.sub(rf"url(#{prefix}\1)", value))
    root.attrib.pop("height", None)  # the page sets the height by the available width
    root.set("role", "img")
    root.set("fill", "currentColor")  # of words, which have no colour of their own
    root.set("stroke-linejoin", "round")
    label = ElementTree.Element(f"{{{_SVG}}}title")
    label.text = title
    root.insert(0, label)
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(root, encoding="unicode")


def _strip(node: ElementTree.Element) -> None:
    for child in list(node):
        if child.tag in _LEFT_OUT:
            node.remove(child)
        else:
            _strip(child)
