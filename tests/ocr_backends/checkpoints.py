"""Tiny checkpoints with random weights, written by the models' and processors' own classes.

They read nothing. What the tests learn from them is that the real loading, processing and
decoding code runs, and what it makes of pages, limits and failures.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest

needs_torch = pytest.mark.torch

Says = Literal["noise", "nothing", "loop"]
"""What a checkpoint writes: anything, the end at once, or one token for ever."""

END, PAD, UNK = "<|im_end|>", "<|endoftext|>", "<unk>"
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}IMAGE{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TEXT = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 32768,
}


def vocabulary(first: str, *special: str) -> dict[str, int]:
    """A token for each byte, after ``first`` and before the special tokens."""
    from tokenizers.pre_tokenizers import ByteLevel

    return {
        token: index for index, token in enumerate([first, *sorted(ByteLevel.alphabet()), *special])
    }


def qwen_tokenizer(says: Says, *special: str, **named: str) -> Any:
    """A tokenizer of bytes. Token 0 is what a model with ``silence`` writes."""
    from transformers import Qwen2Tokenizer

    # Logits that are all alike give token 0: the end, or a word of its own.
    words = vocabulary(END if says == "nothing" else "loop ", "<|im_start|>", PAD, *special)
    words.setdefault(END, len(words))
    tokenizer = Qwen2Tokenizer(
        vocab=words,
        merges=[],
        eos_token=END,
        pad_token=PAD,
        unk_token=PAD,
        extra_special_tokens=named,
    )
    tokenizer.add_special_tokens(
        {"additional_special_tokens": ["<|im_start|>", *special]},
        replace_extra_special_tokens=False,
    )
    return tokenizer


def silence(norm: Any, says: Says) -> None:
    """All logits alike, unless the checkpoint is to write noise."""
    import torch

    if says != "noise":
        with torch.no_grad():
            for parameter in norm.parameters():
                parameter.zero_()


def save(folder: Path, model: Any, tokenizer: Any, image_processor: Any, **processor: Any) -> Path:
    """Write model, tokenizer and processor settings as the hub's checkpoints have them."""
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    # Sampling, as published checkpoints ask for: engines must not follow.
    model.generation_config.do_sample = True
    model.generation_config.temperature = 1.5
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    image_processor.save_pretrained(folder)
    if processor:
        (folder / "processor_config.json").write_text(json.dumps(processor))
    return folder


def got(folder: Path, says: Says = "noise", seed: int = 0) -> Path:
    """GOT-OCR2. Its processor expects 256 image tokens: 64 x 64 patches."""
    import torch
    from transformers import GotOcr2Config, GotOcr2ForConditionalGeneration
    from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil

    torch.manual_seed(seed)
    tokenizer = qwen_tokenizer(says, "<img>", "</img>", "<imgpad>")
    config = GotOcr2Config(
        vision_config={
            "hidden_size": 8,
            "output_channels": 8,
            "num_hidden_layers": 1,
            "num_attention_heads": 1,
            "image_size": 256,
            "patch_size": 4,
            "mlp_dim": 16,
            "global_attn_indexes": [],
            "initializer_range": 0.5,
        },
        text_config={
            "model_type": "qwen2",
            "vocab_size": len(tokenizer),
            "initializer_range": 0.5,
            **TEXT,
        },
        image_token_index=tokenizer.convert_tokens_to_ids("<imgpad>"),
    )
    model = GotOcr2ForConditionalGeneration(config)
    silence(model.model.language_model.norm, says)
    size = {"height": 256, "width": 256}
    return save(folder, model, tokenizer, GotOcr2ImageProcessorPil(size=size))


def nougat(folder: Path, says: Says = "noise", seed: int = 0) -> Path:
    """Nougat: DonutSwin and mBART. 64 positions."""
    import torch
    from transformers import (
        DonutSwinConfig,
        MBartConfig,
        NougatTokenizer,
        VisionEncoderDecoderConfig,
        VisionEncoderDecoderModel,
    )
    from transformers.models.nougat.image_processing_pil_nougat import NougatImageProcessorPil

    torch.manual_seed(seed)
    words = vocabulary("</s>" if says == "nothing" else "loop ", "<s>", "<pad>", UNK)
    words.setdefault("</s>", len(words))
    tokenizer = NougatTokenizer(vocab=words, merges=[])
    encoder = DonutSwinConfig(
        image_size=[112, 84], embed_dim=8, depths=[1, 1], num_heads=[1, 2], window_size=7
    )
    decoder = MBartConfig(
        vocab_size=len(tokenizer),
        d_model=16,
        decoder_layers=2,
        decoder_attention_heads=2,
        decoder_ffn_dim=32,
        max_position_embeddings=64,
        is_decoder=True,
        add_cross_attention=True,
        add_final_layer_norm=True,
        scale_embedding=True,
        tie_word_embeddings=False,
        init_std=0.5,
        forced_eos_token_id=tokenizer.eos_token_id,
    )
    config = VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.decoder_start_token_id = tokenizer.bos_token_id
    config.pad_token_id = tokenizer.pad_token_id
    config.eos_token_id = tokenizer.eos_token_id
    model = VisionEncoderDecoderModel(config)
    model.generation_config.decoder_start_token_id = tokenizer.bos_token_id
    silence(model.decoder.model.decoder.layer_norm, says)
    return save(
        folder, model, tokenizer, NougatImageProcessorPil(size={"height": 112, "width": 84})
    )


def qwen_vl(folder: Path, says: Says = "noise", seed: int = 0) -> Path:
    """Qwen2.5-VL."""
    import torch
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    torch.manual_seed(seed)
    marks = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer = qwen_tokenizer(says, *marks)
    tokenizer.chat_template = TEMPLATE.replace(
        "IMAGE", "<|vision_start|><|image_pad|><|vision_end|>"
    )
    start, end, image, video = tokenizer.convert_tokens_to_ids(marks)
    config = Qwen2_5_VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2]},
            "initializer_range": 0.5,
            "bos_token_id": None,
            "eos_token_id": tokenizer.eos_token_id,
            **TEXT,
        },
        vision_config={
            "depth": 1,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_heads": 2,
            "out_hidden_size": 16,
            "fullatt_block_indexes": [],
        },
        vision_start_token_id=start,
        vision_end_token_id=end,
        image_token_id=image,
        video_token_id=video,
    )
    model = Qwen2_5_VLForConditionalGeneration(config)
    silence(model.model.language_model.norm, says)
    return save(folder, model, tokenizer, Qwen2VLImageProcessorPil())


def internvl(folder: Path, says: Says = "noise", seed: int = 0) -> Path:
    """InternVL. 28 x 28 pixels a tile: four patches, one token."""
    import torch
    from transformers import InternVLConfig, InternVLForConditionalGeneration
    from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil

    torch.manual_seed(seed)
    marks = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    tokenizer = qwen_tokenizer(says, *marks.values(), **marks)
    tokenizer.chat_template = TEMPLATE.replace("IMAGE", "<IMG_CONTEXT>\n")
    config = InternVLConfig(
        vision_config={
            "hidden_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "intermediate_size": 16,
            "image_size": [28, 28],
            "patch_size": [14, 14],
            "initializer_range": 0.5,
        },
        text_config={
            "model_type": "qwen2",
            "vocab_size": len(tokenizer),
            "initializer_range": 0.5,
            **TEXT,
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=1,
    )
    model = InternVLForConditionalGeneration(config)
    silence(model.model.language_model.norm, says)
    size = {"height": 28, "width": 28}
    image_processor = GotOcr2ImageProcessorPil(size=size, crop_to_patches=True)
    return save(
        folder,
        model,
        tokenizer,
        image_processor,
        processor_class="InternVLProcessor",
        image_seq_length=1,
    )


WRITERS: dict[str, Callable[[Path, Says, int], Path]] = {
    "got": got,
    "nougat": nougat,
    "qwen_vl": qwen_vl,
    "internvl": internvl,
}
"""Engine -> what writes a checkpoint for it."""


_FOLDER = tempfile.TemporaryDirectory(prefix="ohr-checkpoints-")


@cache
def written(engine: str, says: Says = "noise", seed: int = 0) -> Path:
    """The folder of a checkpoint for an engine, written once and not to be changed."""
    import torch

    torch.set_num_threads(1)
    return WRITERS[engine](Path(_FOLDER.name) / f"{engine}-{says}-{seed}", says, seed)
