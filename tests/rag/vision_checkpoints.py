"""Tiny checkpoints with random weights that look at pictures: late interaction, and CLIP.

They see nothing. What the tests learn from them is that the real loading, image processing and
encoding code runs.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ohr.models.processors import images_alone
from tests.ocr_backends.checkpoints import TEMPLATE, TEXT, qwen_tokenizer
from tests.ocr_backends.checkpoints import written as reader_checkpoint

MARKS = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]


def _save(folder: Path, model: Any, tokenizer: Any, images: Any, **processor: Any) -> Path:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    images.save_pretrained(folder)
    (folder / "processor_config.json").write_text(json.dumps(processor))
    return folder


def colqwen2(folder: Path) -> Path:
    """ColQwen2: as many tokens as the page has patches of 28 x 28 pixels."""
    import torch
    from transformers import ColQwen2Config, ColQwen2ForRetrieval
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    torch.manual_seed(0)
    tokenizer = qwen_tokenizer("noise", *MARKS)
    start, end, image, video = tokenizer.convert_tokens_to_ids(MARKS)
    config = ColQwen2Config(
        vlm_config={
            "model_type": "qwen2_vl",
            "text_config": {
                "vocab_size": len(tokenizer),
                "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2]},
                "initializer_range": 0.5,
                **TEXT,
            },
            "vision_config": {
                "depth": 1,
                "embed_dim": 16,
                "num_heads": 2,
                "hidden_size": 16,
                "mlp_ratio": 2,
                "initializer_range": 0.5,
            },
            "vision_start_token_id": start,
            "vision_end_token_id": end,
            "image_token_id": image,
            "video_token_id": video,
        },
        embedding_dim=16,
        initializer_range=0.5,
    )
    model = ColQwen2ForRetrieval(config)
    images = Qwen2VLImageProcessorPil(min_pixels=56 * 56, max_pixels=28 * 28 * 64)
    return _save(folder, model, tokenizer, images, processor_class="ColQwen2Processor")


def colmodernvbert(folder: Path) -> Path:
    """ColModernVBert: the page, and tiles of it, of 32 x 32 pixels each."""
    import torch
    from transformers import ColModernVBertConfig, ColModernVBertForRetrieval
    from transformers.models.idefics3.image_processing_pil_idefics3 import (
        Idefics3ImageProcessorPil,
    )

    torch.manual_seed(0)
    places = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    marks = ["<image>", "<fake_token_around_image>", "<end_of_utterance>", "<global-img>", *places]
    tokenizer = qwen_tokenizer("noise", *marks)
    config = ColModernVBertConfig(
        vlm_config={
            "model_type": "modernvbert",
            "text_config": {
                "vocab_size": len(tokenizer),
                "hidden_size": 16,
                "intermediate_size": 32,
                "num_hidden_layers": 2,
                "num_attention_heads": 2,
                "pad_token_id": tokenizer.pad_token_id,
                "initializer_range": 0.5,
            },
            "vision_config": {
                "hidden_size": 16,
                "intermediate_size": 32,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "image_size": 32,
                "patch_size": 8,
            },
            "image_token_id": tokenizer.convert_tokens_to_ids("<image>"),
            "pixel_shuffle_factor": 2,
        },
        embedding_dim=16,
        initializer_range=0.5,
    )
    model = ColModernVBertForRetrieval(config)
    images = Idefics3ImageProcessorPil(
        size={"longest_edge": 64}, max_image_size={"longest_edge": 32}
    )
    name = "ColModernVBertProcessor"
    return _save(folder, model, tokenizer, images, processor_class=name, image_seq_len=4)


def colpali(folder: Path) -> Path:
    """ColPali: pages of 28 x 28 pixels, four patches."""
    import torch
    from transformers import ColPaliConfig, ColPaliForRetrieval
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

    torch.manual_seed(0)
    tokenizer = qwen_tokenizer("noise", "<image>")
    tokenizer.bos_token = "<|im_start|>"
    config = ColPaliConfig(
        vlm_config={
            "model_type": "paligemma",
            "text_config": {
                "model_type": "gemma",
                "vocab_size": len(tokenizer),
                "head_dim": 8,
                "initializer_range": 0.5,
                **TEXT,
            },
            "vision_config": {
                "model_type": "siglip_vision_model",
                "hidden_size": 16,
                "intermediate_size": 32,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "image_size": 28,
                "patch_size": 14,
                "vision_use_head": False,
            },
            "image_token_index": tokenizer.convert_tokens_to_ids("<image>"),
            "projection_dim": 16,
            "hidden_size": 16,
        },
        embedding_dim=16,
        initializer_range=0.5,
    )
    model = ColPaliForRetrieval(config)
    images = SiglipImageProcessorPil(size={"height": 28, "width": 28})
    images.image_seq_length = 4
    return _save(folder, model, tokenizer, images, processor_class="ColPaliProcessor")


def clip(folder: Path) -> Path:
    """CLIP: one vector a page of 28 x 28 pixels."""
    import torch
    from transformers import CLIPConfig, CLIPModel
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    torch.manual_seed(0)
    tokenizer = qwen_tokenizer("noise")
    small = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    config = CLIPConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "max_position_embeddings": 77,
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
            **small,
        },
        vision_config={"image_size": 28, "patch_size": 14, **small},
        projection_dim=16,
    )
    model = CLIPModel(config)
    images = CLIPImageProcessorPil(
        size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}
    )
    return _save(folder, model, tokenizer, images, processor_class="CLIPProcessor")


def smolvlm(folder: Path) -> Path:
    """SmolVLM of the first generation, a reader: the page, and tiles of it, of 32 x 32 pixels."""
    import torch
    from transformers import Idefics3Config, Idefics3ForConditionalGeneration
    from transformers.models.idefics3.image_processing_pil_idefics3 import (
        Idefics3ImageProcessorPil,
    )

    torch.manual_seed(0)
    places = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    marks = ["<image>", "<fake_token_around_image>", "<end_of_utterance>", "<global-img>", *places]
    tokenizer = qwen_tokenizer("noise", *marks)
    tokenizer.chat_template = TEMPLATE.replace("IMAGE", "<image>")
    config = Idefics3Config(
        text_config={
            "model_type": "llama",
            "vocab_size": len(tokenizer),
            "initializer_range": 0.5,
            "pad_token_id": tokenizer.pad_token_id,
            **TEXT,
        },
        vision_config={
            "hidden_size": 16,
            "intermediate_size": 32,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 8,
            "initializer_range": 0.5,
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        pad_token_id=tokenizer.pad_token_id,
        scale_factor=2,
    )
    model = Idefics3ForConditionalGeneration(config)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    images = Idefics3ImageProcessorPil(
        size={"longest_edge": 64}, max_image_size={"longest_edge": 32}
    )
    name = "Idefics3Processor"
    return _save(folder, model, tokenizer, images, processor_class=name, image_seq_len=4)


def colsmol(folder: Path) -> Path:
    """SmolVLM with a projection, as sentence-transformers saves it."""
    import torch
    from sentence_transformers import MultiVectorEncoder

    torch.manual_seed(0)
    MultiVectorEncoder(str(written("smolvlm")), device="cpu").save(str(folder))
    return folder


def dse(folder: Path) -> Path:
    """Qwen2.5-VL and the vector of its last token, as sentence-transformers saves them."""
    import transformers
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    inner = reader_checkpoint("qwen_vl")
    with images_alone(inner, transformers):
        tokens = Transformer(str(inner))
        # It has no part for videos, which cannot be saved: its files are those of the reader.
        tokens.processor.save_pretrained = lambda *_, **__: None
        last = Pooling(tokens.get_embedding_dimension(), pooling_mode="lasttoken")
        SentenceTransformer(modules=[tokens, last], device="cpu").save(str(folder))
    for file in inner.iterdir():
        if not (folder / file.name).exists():
            shutil.copy(file, folder)
    return folder


WRITERS: dict[str, Callable[[Path], Path]] = {
    "colqwen2": colqwen2,
    "colmodernvbert": colmodernvbert,
    "colpali": colpali,
    "clip": clip,
    "smolvlm": smolvlm,
    "colsmol": colsmol,
    "dse": dse,
}
"""Kind of model -> what writes a checkpoint of it."""
_FOLDER = tempfile.TemporaryDirectory(prefix="ohr-vision-")


@cache
def written(kind: str) -> Path:
    """The folder of a checkpoint, written once and not to be changed."""
    import torch

    torch.set_num_threads(1)
    return WRITERS[kind](Path(_FOLDER.name) / kind)
