"""Distorts a page image: the one place where a study's noise is drawn for a page."""

from __future__ import annotations

import numpy as np

from ohr.errors import OhrError, PluginError
from ohr.plugins import Applied, ImagePerturbation
from ohr.plugins.randomness import generator_for
from ohr.store.identity import canonical_json
from ohr.types import PageRef


def distort_image(
    operator: ImagePerturbation,
    image: np.ndarray,
    *,
    intensity: float,
    seed: int,
    ref: PageRef,
    label: str = "",
) -> Applied[np.ndarray]:
    """The page (uint8, grey or RGB) with the noise that this seed draws for it.

    The draw depends on the name of the plug-in, not on its ``label`` in a configuration. Raises
    PluginError if the distortion fails, or returns a size or dtype that it should not: neither
    engine nor page is at fault.
    """
    where = f"distortion {label or operator.name!r} on {ref.doc_id} page {ref.page_no + 1}"
    rng = generator_for(seed, operator.name, ref)
    try:
        applied = operator.apply(image, intensity=intensity, rng=rng)
        if not isinstance(applied, Applied) or not isinstance(applied.value, np.ndarray):
            raise TypeError("apply must return Applied(image, record)")
        canonical_json(applied.record)
        shape = image.shape
        if applied.value.shape != shape:
            shape = operator.shape_after(shape, applied.record)
    except OhrError:
        raise
    except Exception as error:  # a plug-in may raise anything
        raise PluginError(f"{where}: {type(error).__name__}: {error}") from error
    if (applied.value.shape, applied.value.dtype) != (shape, image.dtype):
        raise PluginError(
            f"{where}: {image.dtype} {image.shape} became {applied.value.dtype} "
            f"{applied.value.shape}: "
            "size and dtype must not change"
        )
    return applied
