"""A local model of pictures and text: prompts with pictures, one at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from ohr.errors import EngineError, MissingDependencyError
from ohr.models.checkpoints import model_type
from ohr.models.processors import processor_class_of, processor_of_images
from rag.readers._prefix import Continuation


@dataclass(frozen=True)
class VisionModel:
    """A model of pictures and text (Qwen2.5-VL, InternVL, SmolVLM ...) with its processor."""

    torch: Any
    model: Any
    processor: Any

    def write(
        self, turns: Sequence[Mapping[str, str]], pictures: Sequence[Image.Image]
    ) -> tuple[Continuation, list[int]]:
        """The continuation of a conversation, and the tokens of the conversation.

        The pictures stand at the beginning of the last turn. Raises EngineError for a
        conversation that fills its window.
        """
        try:
            text = self._render(turns, len(pictures))
        except Exception:  # Llama 3.2's template raises for a system message beside pictures
            if turns[0]["role"] != "system":
                raise
            text = self._render(_merge_system_message(turns), len(pictures))
        inputs = self.processor(
            images=list(pictures) or None,
            text=[text],
            return_tensors="pt",
            add_special_tokens=False,
        )
        prompt: list[int] = inputs["input_ids"][0].tolist()
        length = len(prompt)
        window = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        room = self.model.generation_config.max_new_tokens
        if window is not None and length + room > window:
            raise EngineError(
                f"a question of {length:,} tokens with its pictures fills the model's window of "
                f"{window:,}: lower max_images, image_side or max_context_tokens"
            )
        model = self.model
        on_device = {
            name: value.to(model.device, model.dtype if value.is_floating_point() else None)
            for name, value in inputs.items()
        }
        with self.torch.inference_mode():
            rows = model.generate(**on_device)
        return Continuation(rows[0, length:].tolist()), prompt

    def _render(self, turns: Sequence[Mapping[str, str]], n_pictures: int) -> str:
        """The conversation by the processor's chat template, with places for its pictures."""
        messages: list[dict[str, Any]] = [
            {"role": turn["role"], "content": [{"type": "text", "text": turn["content"]}]}
            for turn in turns
        ]
        messages[-1]["content"][:0] = [{"type": "image"}] * n_pictures
        text: str = self.processor.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=False
        )
        return text


def _merge_system_message(turns: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """The conversation with its system message at the beginning of the first turn."""
    system, first, *rest = turns
    return [{**first, "content": f"{system['content']}\n\n{first['content']}"}, *rest]


def load_processor(name: str, folder: Path, transformers: Any) -> Any:
    """The processor of a checkpoint of pictures and text. Raises MissingDependencyError."""
    processor_class = processor_class_of(folder, transformers)
    if processor_class is None:
        raise MissingDependencyError(
            f"{name}: {folder} is of model_type {model_type(folder)!r}, which looks at no "
            "pictures: use read=text, or another checkpoint"
        )
    processor = processor_of_images(processor_class, folder, transformers)
    if processor.chat_template is None:
        processor.chat_template = processor.tokenizer.chat_template
    if processor.chat_template is None:
        raise MissingDependencyError(
            f"{name}: {folder} has no chat template: fetch the checkpoint again"
        )
    return processor
