"""Lists as users type them."""

from __future__ import annotations

_OPENING, _CLOSING = "[{", "]}"


def split_list(text: str) -> list[str]:
    """The items of a list, separated by the commas that are in no bracket or quotes."""
    items, depth, quote, before = [""], 0, "", ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif depth and character in "\"'" and before in "[{,:":
            quote = character  # elsewhere it is an apostrophe
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth = max(0, depth - 1)
        if character == "," and not depth and not quote:
            items.append("")
        else:
            items[-1] += character
        before = before if character == " " else character
    return [item.strip() for item in items]
