"""Tiny checkpoints with random weights for the dense retrievers and re-rankers."""

from __future__ import annotations

from pathlib import Path

import pytest

WORDS = "river bank money loan water fish boat interest rate stream the of what is".split()
SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
}


def word_tokenizer(folder: Path) -> int:
    """A WordPiece tokenizer of a few words in ``folder``; the size of its vocabulary."""
    transformers = pytest.importorskip("transformers")
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *letters]
    pieces += [f"##{letter}" for letter in letters]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    transformers.BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    return len(pieces)


def dpr(folder: Path) -> tuple[Path, Path]:
    """A question encoder and a passage encoder."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    made = []
    for seed, kind in enumerate(("Question", "Context")):
        path = folder / kind
        torch.manual_seed(seed)
        config = transformers.DPRConfig(vocab_size=word_tokenizer(path), **SMALL)
        getattr(transformers, f"DPR{kind}Encoder")(config).save_pretrained(path)
        made.append(path)
    return made[0], made[1]


def cross_encoder(folder: Path, labels: int = 1) -> Path:
    """An ELECTRA sequence classifier."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.ElectraConfig(
        vocab_size=word_tokenizer(folder), embedding_size=32, num_labels=labels, **SMALL
    )
    transformers.ElectraForSequenceClassification(config).save_pretrained(folder)
    return folder


def sentence_encoder(folder: Path) -> Path:
    """A BERT with mean pooling, as sentence-transformers saves it."""
    package = pytest.importorskip("sentence_transformers")
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(0)
    inner = folder.with_name("bert")
    config = transformers.BertConfig(vocab_size=word_tokenizer(inner), **SMALL)
    transformers.BertModel(config).save_pretrained(inner)
    # Given a bare model, the package puts mean pooling on top.
    package.SentenceTransformer(str(inner), device="cpu", local_files_only=True).save(str(folder))
    return folder


def masked_language_model(folder: Path) -> Path:
    """A BERT with its head over the vocabulary, as SPLADE takes it."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=word_tokenizer(folder), **SMALL)
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    return folder


def bge_m3(folder: Path) -> Path:
    """An XLM-RoBERTa with BGE-M3's two heads."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    torch.manual_seed(0)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=200, special_tokens=special, unk_token="<unk>"
    )
    tokenizer.train_from_iterator([" ".join(WORDS), " ".join(WORDS[::-1])] * 3, trainer)
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    folder.mkdir(parents=True, exist_ok=True)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=512,
    ).save_pretrained(folder)
    config = transformers.XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=514, pad_token_id=1, **SMALL
    )
    transformers.XLMRobertaModel(config).save_pretrained(folder)
    torch.save(torch.nn.Linear(32, 32).state_dict(), folder / "colbert_linear.pt")
    torch.save(torch.nn.Linear(32, 1).state_dict(), folder / "sparse_linear.pt")
    return folder
