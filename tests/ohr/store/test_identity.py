from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.store.identity import canonical_json, digest, file_digest, pixel_digest
from ohr.types import PageRef

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(JSON)
def test_canonical_json_is_json_of_the_same_value(value):
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_order_of_keys_does_not_matter(value):
    assert digest(value) == digest(dict(reversed(value.items())))


def test_equal_values_of_different_kinds_have_equal_json():
    assert canonical_json(PageRef("a/b", 3)) == canonical_json(
        {"page_no": np.int64(3), "doc_id": "a/b"}
    )


def test_not_a_number_and_unknown_types_are_refused():
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json(float("nan"))
    with pytest.raises(TypeError, match="object"):
        canonical_json(object())


def test_pixel_digest_sees_shape_and_dtype():
    flat = np.zeros((4, 6), np.uint8)
    digests = {
        pixel_digest(flat),
        pixel_digest(flat.reshape(6, 4)),
        pixel_digest(flat.view(np.int8)),
    }
    assert len(digests) == 3
    assert pixel_digest(flat) == pixel_digest(np.zeros((8, 6), np.uint8)[::2])


def test_file_digest_is_the_digest_of_the_bytes(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"some bytes")
    assert file_digest(path) == digest(b"some bytes")


def test_text_with_a_lone_surrogate_has_a_digest():
    assert digest("\ud800") != digest("\ud801")
