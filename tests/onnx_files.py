"""ONNX files of one small graph, written byte by byte: the package onnx is not needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FLOAT, INT64, OPSET = 1, 7, 13


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _value(name: str, kind: int, *axes: str) -> bytes:
    shape = b"".join(_bytes(1, _bytes(2, axis)) for axis in axes)
    tensor = _number(1, kind) + _bytes(2, shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor))


def _tensor(name: str, values: np.ndarray) -> bytes:
    dims = b"".join(_number(1, size) for size in values.shape)
    data = values.astype("<f4").tobytes()
    return dims + _number(2, FLOAT) + _bytes(8, name) + _bytes(9, data)


def _node(kind: str, inputs: list[str], output: str, attributes: bytes = b"") -> bytes:
    names = b"".join(_bytes(1, name) for name in inputs)
    return names + _bytes(2, output) + _bytes(4, kind) + attributes


def write_onnx(
    path: Path,
    table: np.ndarray,
    *,
    inputs: tuple[str, ...] = ("input_ids", "attention_mask"),
    pooled: bool = False,
    output: str = "last_hidden_state",
) -> Path:
    """A model that looks up each token in ``table``, ``(vocabulary, d)``; ``pooled``: the greatest
    of all tokens, ``(n, d)``, in place of a row for each.
    """
    looked_up = "rows" if pooled else output
    nodes = [_node("Gather", ["table", "input_ids"], looked_up)]
    if pooled:
        axes = _bytes(1, "axes") + _number(8, 1) + _number(20, 7)
        keep = _bytes(1, "keepdims") + _number(3, 0) + _number(20, 2)
        attributes = _bytes(5, axes) + _bytes(5, keep)
        nodes.append(_node("ReduceMax", ["rows"], output, attributes))
    axes_out = ("n", "d") if pooled else ("n", "tokens", "d")
    graph = b"".join(_bytes(1, node) for node in nodes) + _bytes(2, "graph")
    graph += _bytes(5, _tensor("table", table))
    graph += b"".join(_bytes(11, _value(name, INT64, "n", "tokens")) for name in inputs)
    graph += _bytes(12, _value(output, FLOAT, *axes_out))
    opset = _bytes(1, "") + _number(2, OPSET)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_number(1, 8) + _bytes(7, graph) + _bytes(8, opset))
    return path
