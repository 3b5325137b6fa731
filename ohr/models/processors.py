"""Processors of checkpoints that look at pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def processor_of_images(processor_class: Any, folder: Path, transformers: Any) -> Any:
    """A checkpoint's processor, for images alone: PIL works on them, whatever is installed.

    The class's own ``from_pretrained`` may also load a video processor, which needs
    torchvision; no page is a video.
    """

    class ForImages(processor_class):  # type: ignore[misc]
        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if argument_name == "video_processor":
                return None
            return super().check_argument_for_proper_class(argument_name, argument)

    local = {"local_files_only": True}
    settings, _ = processor_class.get_processor_dict(folder, **local)
    images = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil", **local)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **local)
    parts = [images, tokenizer, None][: len(processor_class.get_attributes())]
    return ForImages.from_args_and_dict(parts, settings)
