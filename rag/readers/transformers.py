"""A local language model: any causal or sequence-to-sequence checkpoint."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeGuard

from pydantic import Field

from ohr.errors import EngineError, MissingDependencyError
from ohr.models.checkpoints import is_gguf
from ohr.models.local import LocalModel, LocalModelParams, problem
from ohr.plugins import Chat, Completion, Message, Reply
from ohr.types import Hit, Outcome
from rag.readers._chances import Chances, confidence_of
from rag.readers._conversation import add_schema, extract_calls
from rag.readers._grammar import Grammars, SchemaMask, grammar_version
from rag.readers._pictures import SHOWN
from rag.readers._prefix import Continuation, PrefixDecoder, common_prefix
from rag.readers._prompted import PromptedParams, PromptedReader, outcome_of
from rag.readers._tokens import PromptTokens
from rag.readers._vision import VisionModel, load_processor

INSTALL = "pip install torch 'transformers>=5.23'"
MEMORY_FIX = "lower batch_size or max_context_tokens, or take a smaller dtype"
_SLACK = 8  # tokens that joining a cut context with the prompt may add
_OTHER = Message("user", "0")  # stands for any other turn


class TransformersParams(LocalModelParams, PromptedParams):
    """``model``: also a GGUF file. ``batch_size``: questions at once, of about the same length.

    Padding can tip a model between two nearly equal tokens, above all in half precision: with 1,
    an answer depends only on its question and context, and the common beginning of prompts
    (examples, a page with several questions) is read once. Questions with page images are asked one
    at a time. ``hold_to_schema``: where a system needs JSON (P0 to P4), the model can write
    nothing else, and strings are limited so that the JSON fits into the tokens of an answer. Small
    models need this; it requires llguidance.
    """

    max_new_tokens: int = Field(128, ge=1)
    hold_to_schema: bool = False


@dataclass(frozen=True)
class _Loaded:
    model: Any
    tokenizer: Any
    eos: frozenset[int]
    pad: int
    window: int | None
    """Positions of the model's input."""


@dataclass(frozen=True)
class _Encoded:
    index: int
    question_and_context: tuple[str, str]
    ids: list[int]
    note: str
    splits: tuple[int, ...]
    """How much it shares with any prompt, with those of its first passage, and of its context."""


class Transformers(LocalModel[TransformersParams], PromptedReader[TransformersParams], Chat):
    """Qwen2, Llama, T5, UnifiedQA and their like, decoded greedily; with ``read`` images or both
    Qwen2.5-VL, InternVL, SmolVLM and their like.

    The tokenizer's chat template is used if it has one. Nothing is downloaded, and code that comes
    with a checkpoint is not run.
    """

    name = "transformers"
    version = "6"
    install = INSTALL
    reads_gguf = True
    stand_ins = {"server": "openai"}  # noqa: RUF012
    answer_limit = "max_new_tokens"
    outside_identity = frozenset({"model", "revision", "device", "dtype"})

    def identity(self) -> dict[str, object]:
        """With the checkpoint's digest. Raises MissingDependencyError and ConfigError."""
        identity = super().identity() | {"model_version": self.model_version()}
        if self.params.hold_to_schema:
            return identity | {"grammar": grammar_version()}
        params = identity["params"]
        assert isinstance(params, dict)
        return identity | {
            "params": {key: value for key, value in params.items() if key != "hold_to_schema"}
        }

    def answer_many(
        self, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
    ) -> Iterator[Reply]:
        """Answers, in the order of prompts with common beginnings, or in batches with the longest
        prompts first; the questions of a batch that fails are asked one by one.

        Raises MissingDependencyError (package, checkpoint, GPU).
        """
        if self.reads_images:
            yield from self._answer_from_pictures(questions, contexts)
            return
        queue = []
        for index, (question, context) in enumerate(zip(questions, contexts, strict=True)):
            _, first = self._prompt.prepare(question, context[:1])
            encoded = self._encode(index, *self._prompt.prepare(question, context), first)
            if encoded is None:
                detail = f"{self.name}: the question alone fills the model's window"
                yield Reply(index, Outcome.error(detail))
            else:
                queue.append(encoded)
        if self._prefixes is not None:
            # Prompts with a common beginning follow one another.
            queue.sort(key=lambda encoded: encoded.ids)
        else:
            queue.sort(key=lambda encoded: -len(encoded.ids))
        size = self.params.batch_size
        batches = [queue[start : start + size] for start in range(0, len(queue), size)]
        while batches:
            batch = batches.pop(0)
            failure = ""
            try:
                continuations = self._write_batch(batch)
            except Exception as error:
                failure = f"{self.name}: {problem(error, MEMORY_FIX)}"
            if not failure:
                for encoded, continuation in zip(batch, continuations, strict=True):
                    yield self._reply(
                        encoded.index,
                        encoded.question_and_context,
                        encoded.ids,
                        continuation,
                        (encoded.note,),
                    )
                continue
            if self._prefixes is not None:
                self._prefixes.forget()
            if self._device != "cpu":  # here, not above: the exception holds the batch's tensors
                self._torch.cuda.empty_cache()
            if len(batch) > 1:
                batches = [[encoded] for encoded in batch] + batches
            else:
                yield Reply(batch[0].index, Outcome.error(" ".join(failure.split())[:500]))

    def _answer_from_pictures(
        self, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
    ) -> Iterator[Reply]:
        """Answers from page images, one question at a time, grouped by their pages."""
        pages = list(map(self._pages_to_show, contexts))
        for index in sorted(range(len(questions)), key=lambda position: pages[position].sort_key):
            prepared = self._passages(questions[index], contexts[index])
            question, text = map(self._tokens.defuse_tokens, prepared)
            text, note = self._tokens.cut(text, self.params.max_context_tokens)
            try:
                pictures = pages[index].pictures(self.params.image_side)
                turns = self._prompt.messages(question, text or (SHOWN if pictures else ""))
                continuation, ids = self._vision.write(turns, pictures)
            except EngineError as error:
                yield Reply(index, Outcome.error(f"{self.name}: {error}"[:500]))
                continue
            except MissingDependencyError:
                raise
            except Exception as error:
                failure = " ".join(f"{self.name}: {problem(error, MEMORY_FIX)}".split())[:500]
            else:
                notes = (note, pages[index].note)
                usage = {"images_cut": 1.0} if pages[index].note else {}
                yield self._reply(index, (question, text), ids, continuation, notes, usage)
                continue
            if self._device != "cpu":  # here, not above: the exception holds its tensors
                self._torch.cuda.empty_cache()
            yield Reply(index, Outcome.error(failure))

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        seed: int = 0,
    ) -> Completion:
        """The model's next turn; see :meth:`ohr.plugins.Chat.complete`.

        Special tokens and marks of calls in the text of turns are broken up and have no effect.
        A schema is described to the model, and enforced with ``hold_to_schema``.
        """
        messages = [self._tokens.defuse_turn(message) for message in add_schema(messages, schema)]
        ids = self._tokens.encode_turns(messages, tools)
        room = max_tokens or self.params.max_new_tokens
        loaded = self._loaded
        if loaded.window is not None and not loaded.model.config.is_encoder_decoder:
            room = min(room, loaded.window - len(ids))
        if room < 1 or (loaded.window is not None and len(ids) > loaded.window):
            raise EngineError(
                f"{self.name}: a conversation of {len(ids):,} tokens fills the model's window of "
                f"{loaded.window:,}"
            )
        # Where each turn before an answer ends: the next call continues from there.
        ends = [index for index, message in enumerate(messages) if message.role == "assistant"]
        opening = [messages[:1], *(messages[:end] for end in ends)] if self._prefixes else []
        splits = sorted(
            common_prefix(ids, self._tokens.encode_turns([*turns, _OTHER], tools))
            for turns in opening
        )
        config = self._decoding_config(room, temperature)
        mask = self._grammars.mask(schema, room, len(ids)) if self._is_constrained(schema) else None
        try:
            with self._torch.random.fork_rng(enabled=temperature > 0):
                if temperature > 0:
                    self._torch.manual_seed(seed)
                if self._prefixes is not None:
                    continuation = self._prefixes.write(ids, splits, config, mask)
                else:
                    [continuation] = self._generate([ids], config, mask)
        except Exception as error:
            if self._prefixes is not None:
                self._prefixes.forget()
            detail = " ".join(f"{self.name}: {problem(error, MEMORY_FIX)}".split())[:500]
            raise EngineError(detail) from error
        text, usage, is_cut = self._text_of(continuation, ids)
        if mask is None:  # a constrained model writes the object at once
            text = self._tokens.opened_thought(ids) + text
        names = [str(tool.get("function", tool).get("name")) for tool in tools]
        text, calls = extract_calls(text, names)
        return Completion(text, calls, is_cut, usage)

    def _is_constrained(self, schema: Mapping[str, Any] | None) -> TypeGuard[Mapping[str, Any]]:
        return schema is not None and bool(self.params.hold_to_schema)

    @cached_property
    def _grammars(self) -> Grammars:
        loaded = self._loaded
        vocabulary = loaded.model.config.get_text_config().vocab_size
        return Grammars(self._torch, loaded.tokenizer, vocabulary, loaded.eos)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text by the model's tokenizer."""
        return len(self._loaded.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _decoding_config(self, max_tokens: int, temperature: float) -> Any:
        """A generation config: greedy, or sampling from all tokens at a temperature."""
        config = copy.deepcopy(self._loaded.model.generation_config)
        config.update(max_new_tokens=max_tokens)
        if temperature > 0:
            config.update(do_sample=True, temperature=temperature, top_k=0, top_p=1.0)
        return config

    def _write_batch(self, batch: Sequence[_Encoded]) -> list[Continuation]:
        if self._prefixes is not None:
            return [self._prefixes.write(encoded.ids, encoded.splits) for encoded in batch]
        return self._generate([encoded.ids for encoded in batch])

    @cached_property
    def _prefixes(self) -> PrefixDecoder | None:
        """Reads common beginnings of prompts once; None if batches are padded instead."""
        model = self._loaded.model
        stateful = getattr(model, "_is_stateful", False)  # such a model keeps no keys and values
        if model.config.is_encoder_decoder or stateful or self.params.batch_size > 1:
            return None
        cache = partial(self._transformers.DynamicCache, config=model.config)
        return PrefixDecoder(self._torch, cache, model)

    @cached_property
    def _loaded(self) -> _Loaded:
        """Model and tokenizer, loaded once. Raises MissingDependencyError."""
        with self._loading():
            config = self._transformers.AutoConfig.from_pretrained(**self._pretrained)
            tokenizer = self._transformers.AutoTokenizer.from_pretrained(
                **self._pretrained, config=config
            )
            kind = "Seq2SeqLM" if config.is_encoder_decoder else "CausalLM"
            model = self._load(f"AutoModelFor{kind}", config=config)
        decoding = self._add_endings(model, tokenizer)
        eos = decoding.eos_token_id
        if decoding.pad_token_id is None:
            decoding.pad_token_id = eos[0] if eos else 0
        model.generation_config = decoding
        window = getattr(config, "max_position_embeddings", None)
        return _Loaded(model, tokenizer, frozenset(eos), decoding.pad_token_id, window)

    def _add_endings(self, model: Any, tokenizer: Any) -> Any:
        """The generation config with the tokenizer's end token added: a checkpoint that was trained
        to chat may still have the config of one that was not.
        """
        config = self._greedy(model, tokenizer, max_new_tokens=self.params.max_new_tokens)
        end_of_tokenizer = tokenizer.eos_token_id
        if end_of_tokenizer is not None and end_of_tokenizer not in config.eos_token_id:
            config.eos_token_id = [*config.eos_token_id, end_of_tokenizer]
        return config

    def _encode(self, index: int, question: str, context: str, first: str) -> _Encoded | None:
        """The prompt's tokens, with the context cut to the room for it; None without room.

        ``first`` is the context's first passage.
        """
        question, context = map(self._tokens.defuse_tokens, (question, context))
        limit = self.params.max_context_tokens
        window, model = self._loaded.window, self._loaded.model
        if window is not None:
            to_write = 0 if model.config.is_encoder_decoder else self.params.max_new_tokens
            room = window - to_write - len(self._tokens.ids(question, "")) - _SLACK
            if room < 0:
                return None
            limit = min(limit, room)
        context, note = self._tokens.cut(context, limit)
        ids = self._tokens.ids(question, context)
        other_contexts = ("", self._tokens.defuse_tokens(first), context)
        splits = tuple(common_prefix(ids, self._tokens.ids("0", other)) for other in other_contexts)
        return _Encoded(index, (question, context), ids, note, splits)

    def _generate(
        self, prompts: Sequence[list[int]], config: Any = None, mask: SchemaMask | None = None
    ) -> list[Continuation]:
        """What the model writes after each prompt, padding included."""
        torch, loaded, chances = self._torch, self._loaded, Chances()
        width = max(map(len, prompts))
        causal = not loaded.model.config.is_encoder_decoder
        rows, masks = [], []
        for ids in prompts:
            pad = [loaded.pad] * (width - len(ids))
            # A decoder continues at the end of its row: its padding comes first.
            rows.append(pad + ids if causal else ids + pad)
            zeros, ones = [0] * len(pad), [1] * len(ids)
            masks.append(zeros + ones if causal else ones + zeros)
        device = loaded.model.device
        with torch.inference_mode():
            generated = loaded.model.generate(
                input_ids=torch.tensor(rows, device=device),
                attention_mask=torch.tensor(masks, device=device),
                generation_config=config,
                logits_processor=[chances] if mask is None else [mask, chances],
            )
        written = generated[:, width if causal else 1 :].tolist()
        return [Continuation(row, {}, chances.row_chances(i)) for i, row in enumerate(written)]

    def _text_of(
        self, continuation: Continuation, prompt: Sequence[int]
    ) -> tuple[str, dict[str, float], bool]:
        """The text, its usage, and whether it was cut off."""
        row, eos = continuation.tokens, self._eos
        end = next((index for index, token in enumerate(row) if token in eos), None)
        tokens = len(row) if end is None else end + 1
        usage = {"prompt_tokens": float(len(prompt)), "completion_tokens": float(tokens)}
        text = self._tokenizer.decode(row[:end], skip_special_tokens=True)
        return text, usage | dict(continuation.seconds), end is None

    def _reply(
        self,
        index: int,
        question_and_context: tuple[str, str],
        prompt: Sequence[int],
        continuation: Continuation,
        notes: tuple[str, ...],
        further: Mapping[str, float] | None = None,
    ) -> Reply:
        text, usage, is_cut = self._text_of(continuation, prompt)
        usage |= {"contexts_cut": 1.0} if notes[0] else {}
        usage |= {"answers_cut": 1.0} if is_cut else {}
        cut = f"cut at {len(continuation.tokens)} tokens" if is_cut else ""
        plain = not (self.reads_images or self._tokenizer.chat_template)
        text = self._tokens.opened_thought(prompt) + text
        answer = self._prompt.extract_answer(text, plain=plain)
        confidence = confidence_of(continuation.log_chances[: int(usage["completion_tokens"])])
        outcome, odd = outcome_of(answer, question_and_context, *notes, cut, confidence=confidence)
        return Reply(index, outcome, {**usage, **(further or {}), **odd})

    @cached_property
    def _tokens(self) -> PromptTokens:
        return PromptTokens(self._tokenizer, self._prompt)

    @property
    def _tokenizer(self) -> Any:
        return self._vision.processor.tokenizer if self.reads_images else self._loaded.tokenizer

    @property
    def _eos(self) -> frozenset[int]:
        if not self.reads_images:
            return self._loaded.eos
        return frozenset(self._vision.model.generation_config.eos_token_id)

    @cached_property
    def _vision(self) -> VisionModel:
        """The model of pictures and text, loaded once. Raises MissingDependencyError."""
        if is_gguf(self._folder):
            raise MissingDependencyError(
                f"{self.name}: {self._folder} is a GGUF file, which looks at no pictures here: "
                "serve it, and use the reader openai"
            )
        with self._loading():
            processor = load_processor(self.name, self._folder, self._transformers)
            model = self._load("AutoModelForImageTextToText")
        model.generation_config = self._add_endings(model, processor.tokenizer)
        return VisionModel(self._torch, model, processor)
