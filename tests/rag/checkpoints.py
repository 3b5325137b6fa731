"""Tiny language models with random weights, written by the models' own classes.

They know nothing. What the tests learn from them is that the real loading, templating, padding
and decoding code runs, and what it makes of contexts, limits and failures.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tests.ocr_backends.checkpoints import END, PAD, TEXT, Says, qwen_tokenizer, silence, vocabulary

CHAT = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
LLAMA_CHAT = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'system' %}{{ raise_exception('no system message') }}{% endif %}"
    "<|start_header_id|>{{ message['role'] }}<|end_header_id|>\n\n"
    "{{ message['content'] }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)


def save(folder: Path, model: Any, tokenizer: Any) -> Path:
    """As the hub's checkpoints are, with the sampling that they ask for."""
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.do_sample = True
    model.generation_config.temperature = 1.5
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def qwen2(folder: Path, says: Says = "noise", seed: int = 0) -> Path:
    """Qwen2, with a chat template."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(seed)
    tokenizer = qwen_tokenizer(says)
    tokenizer.chat_template = CHAT
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        initializer_range=0.5,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        **TEXT,
    )
    model = Qwen2ForCausalLM(config)
    silence(model.model.norm, says)
    return save(folder, model, tokenizer)


def llama(folder: Path, says: Says = "noise", seed: int = 0) -> Path:
    """Llama, without a padding token, and with a template that knows no system message."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(seed)
    special = ["<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>"]
    first = "<|eot_id|>" if says == "nothing" else "loop "
    words = vocabulary(first, *(token for token in special if token != first))
    made = Tokenizer(models.BPE(vocab=words, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token=special[0],
        eos_token=special[1],
        additional_special_tokens=special[2:],
    )
    tokenizer.chat_template = LLAMA_CHAT
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        initializer_range=0.5,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **TEXT | {"max_position_embeddings": 2048},
    )
    model = LlamaForCausalLM(config)
    silence(model.model.norm, says)
    return save(folder, model, tokenizer)


def t5(folder: Path, says: Says = "noise", seed: int = 0) -> Path:
    """T5: encoder and decoder, no chat template, no end of its input."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer

    torch.manual_seed(seed)
    first = [("</s>", 0.0)] if says == "nothing" else [("▁loop", 0.0), ("</s>", 0.0)]
    pieces = [*first, ("<pad>", 0.0), ("<unk>", -20.0), ("▁", -2.0)]
    pieces += [(chr(code), -5.0) for code in range(33, 127)]
    tokenizer = T5Tokenizer(vocab=pieces, extra_ids=0)
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=2,
        num_heads=2,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
        initializer_factor=3.0,
    )
    model = T5ForConditionalGeneration(config)
    silence(model.decoder.final_layer_norm, says)
    return save(folder, model, tokenizer)


WRITERS: dict[str, Callable[[Path, Says, int], Path]] = {"qwen2": qwen2, "llama": llama, "t5": t5}
"""Kind of model -> what writes a checkpoint of it."""

__all__ = ["END", "PAD", "WRITERS", "written"]

_FOLDER = tempfile.TemporaryDirectory(prefix="ohr-language-models-")


@cache
def written(kind: str, says: Says = "noise", seed: int = 0) -> Path:
    """The folder of a checkpoint, written once and not to be changed."""
    import torch

    torch.set_num_threads(1)
    return WRITERS[kind](Path(_FOLDER.name) / f"{kind}-{says}-{seed}", says, seed)
