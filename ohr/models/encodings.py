"""Decodes bodies that a server compressed although it was asked not to."""

from __future__ import annotations

import zlib

from ohr.errors import EngineError, MissingDependencyError

_GZIP = b"\x1f\x8b"
_UNCOMPRESSED = ("", "identity", "none", "utf-8")


class CutError(Exception):
    """A compressed body that ends early or is damaged."""


def decoded(body: bytes, encoding: str, limit: int, *, whole: bool = True) -> bytes:
    """A body without its compression (gzip, deflate, one over the other).

    ``encoding``: the header Content-Encoding. Servers that compress without saying so, or say so
    without compressing, are understood by the first bytes: no JSON begins like gzip. ``limit``:
    most bytes of the result, one more than which is returned, so that a small body cannot fill the
    memory. Raises CutError if the body is not ``whole``, unless that is not required, EngineError
    if it is damaged, and MissingDependencyError for another compression.
    """
    names = [name.strip().lower() for name in encoding.split(",")]
    for name in reversed([name for name in names if name not in _UNCOMPRESSED]):
        if name in ("gzip", "x-gzip", "deflate"):
            body = _inflated(body, name, limit, whole=whole)
        elif body.lstrip()[:1] not in (b"{", b"["):
            raise MissingDependencyError(
                f"the server compresses its answers as {name[:20]!r} although it was asked not to: "
                "switch that off there (gzip and deflate are read)"
            )
    if body.startswith(_GZIP):
        return _inflated(body, "gzip", limit, whole=whole)
    return _inflated(body, "deflate", limit, whole=whole) if _is_zlib(body) else body


def _inflated(body: bytes, name: str, limit: int, *, whole: bool) -> bytes:
    """A body without one layer of compression; unchanged if it has none of that name."""
    if body.startswith(_GZIP):
        return _members(body, limit, whole=whole)
    if not (name == "deflate" or _is_zlib(body)) or not body:
        return body
    for bits in (zlib.MAX_WBITS, -zlib.MAX_WBITS):  # with zlib's header, and raw as some send it
        try:
            return _member(body, bits, limit, whole=whole)[0]
        except zlib.error:
            continue
    return body


def _is_zlib(body: bytes) -> bool:
    """Whether a body begins as zlib's streams do (RFC 1950), which no JSON and no event does."""
    return body[:1] == b"x" and len(body) > 1 and int.from_bytes(body[:2]) % 31 == 0


def _members(body: bytes, limit: int, *, whole: bool) -> bytes:
    """The parts of a gzip file, which may be several, joined."""
    text = bytearray()
    while body.startswith(_GZIP) and len(text) <= limit:
        try:
            part, body = _member(body, zlib.MAX_WBITS | 16, limit - len(text), whole=whole)
        except zlib.error as error:
            raise EngineError(f"an answer in damaged gzip ({error})") from error
        text += part
    return bytes(text)


def _member(body: bytes, bits: int, limit: int, *, whole: bool) -> tuple[bytes, bytes]:
    """One compressed part, at most one byte longer than the limit, and what follows it.

    Raises CutError, and zlib.error for what is not of this form.
    """
    inflate = zlib.decompressobj(bits)
    text = inflate.decompress(body, limit + 1)
    while not inflate.eof and len(text) <= limit and inflate.unconsumed_tail:
        more = inflate.decompress(inflate.unconsumed_tail, limit + 1 - len(text))
        if not more:
            break
        text += more
    if not inflate.eof and len(text) <= limit and whole:
        raise CutError("a compressed answer that ends early")
    return text, inflate.unused_data
