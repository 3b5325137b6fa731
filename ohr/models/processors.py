"""Loads the processors of checkpoints that look at pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ohr.errors import ConfigError
from ohr.models.checkpoints import model_type


def processor_of_images(
    processor_class: Any, folder: Path, transformers: Any, settings: Mapping[str, Any] | None = None
) -> Any:
    """A checkpoint's processor, for images only, with the image processor based on PIL.

    The class's own ``from_pretrained`` may also load a video processor, which needs torchvision.
    ``settings`` override those of the checkpoint's image processor; raises ConfigError for an
    unknown one.
    """

    class ForImages(processor_class):  # type: ignore[misc]  # known when it is loaded
        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if argument_name == "video_processor":
                return None
            return super().check_argument_for_proper_class(argument_name, argument)

    local = {"local_files_only": True}
    dictionary, _ = processor_class.get_processor_dict(folder, **local)
    images = transformers.AutoImageProcessor.from_pretrained(
        folder, backend="pil", **local, **(settings or {})
    )
    known_values = getattr(images.valid_kwargs, "__annotations__", {})
    if unknown := sorted(set(settings or {}) - set(known_values)):
        raise ConfigError(
            f"processor: {type(images).__name__} has no setting {unknown[0]!r}; "
            f"it has: {', '.join(sorted(known_values))}"
        )
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **local)
    parts = [images, tokenizer, None][: len(processor_class.get_attributes())]
    return ForImages.from_args_and_dict(parts, dictionary)


def processor_class_of(folder: Path, transformers: Any) -> Any | None:
    """The class of a checkpoint's processor of pictures and text; None where it has none."""
    names = transformers.models.auto.processing_auto.PROCESSOR_MAPPING_NAMES
    name = names.get(model_type(folder))
    return None if name is None else getattr(transformers, name)


@contextmanager
def images_alone(
    folder: Path, transformers: Any, settings: Mapping[str, Any] | None = None
) -> Iterator[None]:
    """Whatever loads the processor of a checkpoint inside is given :func:`processor_of_images`."""
    processor_class = processor_class_of(folder, transformers)
    if processor_class is None:
        raise ConfigError(
            f"{folder} is of model_type {model_type(folder)!r}, which looks at no pictures: name "
            "another checkpoint"
        )
    auto = transformers.AutoProcessor
    own = auto.__dict__["from_pretrained"]

    def from_pretrained(*_: Any, **__: Any) -> Any:
        return processor_of_images(processor_class, folder, transformers, settings)

    auto.from_pretrained = from_pretrained
    try:
        yield
    finally:
        auto.from_pretrained = own
