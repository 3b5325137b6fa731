"""A language model on this machine: any causal or sequence-to-sequence checkpoint."""

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
from rag.readers._conversation import calls_in, with_schema
from rag.readers._grammar import Grammars, Held, grammar_version
from rag.readers._pictures import SHOWN
from rag.readers._prefix import PrefixDecoder, Written, common
from rag.readers._prompted import PromptedParams, PromptedReader, outcome_of
from rag.readers._seeing import Seeing, load_processor
from rag.readers._tokens import PromptTokens

INSTALL = "pip install torch 'transformers>=5.23'"
MEND = "lower batch_size or max_context_tokens, or take a smaller dtype"
_SLACK = 8  # tokens that joining a cut context with the prompt may add
_OTHER = Message("user", "0")  # stands for any other turn


class TransformersParams(LocalModelParams, PromptedParams):
    """``model``: also a GGUF file. ``batch_size``: questions at once, of about the same length.

    Padding can tip a model between two tokens that are all but alike, above all in half
    precision: with 1, an answer depends on nothing but its question and context, and what
    prompts begin with alike (examples, a page that several questions are about) is read once.
    Pages are shown to one question at a time. ``hold_to_schema``: where a system wants JSON (P0
    to P4), the model can write nothing else, as a server holds one to a schema; its strings are
    kept as short as the tokens for an answer need. Small models need it; it wants llguidance.
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
    """Positions that the model has for its input."""


@dataclass(frozen=True)
class _Encoded:
    index: int
    asked: tuple[str, str]
    """Question and context."""
    ids: list[int]
    note: str
    splits: tuple[int, ...]
    """Where other prompts cease to be alike: any, those with its first passage, or its context."""


class Transformers(LocalModel[TransformersParams], PromptedReader[TransformersParams], Chat):
    """Qwen2, Llama, T5, UnifiedQA and their like, decoded greedily; with ``read`` images or both
    Qwen2.5-VL, InternVL, SmolVLM and theirs.

    A tokenizer's chat template is used where there is one. Nothing is downloaded, and code that
    comes with a checkpoint is not run.
    """

    name = "transformers"
    version = "4"
    install = INSTALL
    reads_gguf = True
    outside_identity = frozenset({"model", "revision", "device", "dtype"})

    def identity(self) -> dict[str, object]:
        """With versions and the checkpoint's digest in place of its name.

        Raises MissingDependencyError and ConfigError.
        """
        known = super().identity() | {"model_version": self.model_version()}
        if self.params.hold_to_schema:
            return known | {"grammar": grammar_version()}
        params = known["params"]
        assert isinstance(params, dict)
        return known | {"params": {k: v for k, v in params.items() if k != "hold_to_schema"}}

    def answer_many(
        self, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
    ) -> Iterator[Reply]:
        """Answers, those whose prompts begin alike after one another, or in batches the longest
        first; what fails in a batch is asked alone.

        Raises MissingDependencyError (package, checkpoint, GPU).
        """
        if self.reads_images:
            yield from self._looked(questions, contexts)
            return
        queue = []
        for index, (question, context) in enumerate(zip(questions, contexts, strict=True)):
            _, first = self._prompt.asked(question, context[:1])
            encoded = self._encoded(index, *self._prompt.asked(question, context), first)
            if encoded is None:
                detail = f"{self.name}: the question alone fills the model's window"
                yield Reply(index, Outcome.error(detail))
            else:
                queue.append(encoded)
        if self._prefixes is not None:
            # Those that begin alike follow one another.
            queue.sort(key=lambda encoded: encoded.ids)
        else:
            queue.sort(key=lambda encoded: -len(encoded.ids))
        size = self.params.batch_size
        batches = [queue[start : start + size] for start in range(0, len(queue), size)]
        while batches:
            batch = batches.pop(0)
            failure = ""
            try:
                written = self._written(batch)
            except Exception as error:
                failure = f"{self.name}: {problem(error, MEND)}"
            if not failure:
                for encoded, one in zip(batch, written, strict=True):
                    yield self._reply(
                        encoded.index, encoded.asked, encoded.ids, one, (encoded.note,)
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

    def _looked(
        self, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
    ) -> Iterator[Reply]:
        """Answers from pictures, one question at a time, those over the same pages in a row."""
        pages = list(map(self._shown, contexts))
        for index in sorted(range(len(questions)), key=lambda at: pages[at].order):
            asked = self._passages(questions[index], contexts[index])
            question, text = map(self._tokens.defused, asked)
            text, note = self._tokens.cut(text, self.params.max_context_tokens)
            try:
                pictures = pages[index].pictures(self.params.image_side)
                shown = text or (SHOWN if pictures else "")
                turns = self._prompt.messages(question, shown)
                written, ids = self._seeing.write(turns, pictures)
            except EngineError as error:
                yield Reply(index, Outcome.error(f"{self.name}: {error}"[:500]))
                continue
            except MissingDependencyError:
                raise
            except Exception as error:
                failure = " ".join(f"{self.name}: {problem(error, MEND)}".split())[:500]
            else:
                notes = (note, pages[index].note)
                usage = {"images_cut": 1.0} if pages[index].note else {}
                yield self._reply(index, (question, text), ids, written, notes, usage)
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

        Special tokens and frames of calls in any turn's text are taken apart: they do nothing.
        The model is told of a schema, and held to it with ``hold_to_schema``.
        """
        messages = [self._tokens.harmless(message) for message in with_schema(messages, schema)]
        ids = self._tokens.of_turns(messages, tools)
        room = max_tokens or self.params.max_new_tokens
        loaded = self._loaded
        if loaded.window is not None and not loaded.model.config.is_encoder_decoder:
            room = min(room, loaded.window - len(ids))
        if room < 1 or (loaded.window is not None and len(ids) > loaded.window):
            raise EngineError(
                f"{self.name}: a conversation of {len(ids):,} tokens fills the model's window of "
                f"{loaded.window:,}"
            )
        # Where each turn that a model answered ends: what the next one goes on from.
        ends = [at for at, one in enumerate(messages) if one.role == "assistant"]
        opening = [messages[:1], *(messages[:end] for end in ends)] if self._prefixes else []
        splits = sorted(
            common(ids, self._tokens.of_turns([*some, _OTHER], tools)) for some in opening
        )
        config = self._decoding(room, temperature)
        held = self._grammars.held(schema, room, len(ids)) if self._holds(schema) else None
        try:
            with self._torch.random.fork_rng(enabled=temperature > 0):
                if temperature > 0:
                    self._torch.manual_seed(seed)
                if self._prefixes is not None:
                    one = self._prefixes.write(ids, splits, config, held)
                else:
                    one = Written(self._generate([ids], config, held)[0])
        except Exception as error:
            if self._prefixes is not None:
                self._prefixes.forget()
            said = " ".join(f"{self.name}: {problem(error, MEND)}".split())[:500]
            raise EngineError(said) from error
        text, usage, is_cut = self._text_of(one, ids)
        if held is None:  # what is held writes the object at once
            text = self._tokens.opened(ids) + text
        names = [str(tool.get("function", tool).get("name")) for tool in tools]
        text, calls = calls_in(text, names)
        return Completion(text, calls, is_cut, usage)

    def _holds(self, schema: Mapping[str, Any] | None) -> TypeGuard[Mapping[str, Any]]:
        return schema is not None and bool(self.params.hold_to_schema)

    @cached_property
    def _grammars(self) -> Grammars:
        loaded = self._loaded
        vocabulary = loaded.model.config.get_text_config().vocab_size
        return Grammars(self._torch, loaded.tokenizer, vocabulary, loaded.eos)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text by the model's tokenizer."""
        return len(self._loaded.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _decoding(self, most: int, temperature: float) -> Any:
        """How to decode: the likeliest tokens, or drawn from all at a temperature."""
        config = copy.deepcopy(self._loaded.model.generation_config)
        config.update(max_new_tokens=most)
        if temperature > 0:
            config.update(do_sample=True, temperature=temperature, top_k=0, top_p=1.0)
        return config

    def _written(self, batch: Sequence[_Encoded]) -> list[Written]:
        if self._prefixes is not None:
            return [self._prefixes.write(encoded.ids, encoded.splits) for encoded in batch]
        return [Written(row) for row in self._generate([encoded.ids for encoded in batch])]

    @cached_property
    def _prefixes(self) -> PrefixDecoder | None:
        """What reads prompts that begin alike once; None where batches are padded instead."""
        model = self._loaded.model
        stateful = getattr(model, "_is_stateful", False)  # it keeps no keys and values
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
        decoding = self._ending(model, tokenizer)
        eos = decoding.eos_token_id
        if decoding.pad_token_id is None:
            decoding.pad_token_id = eos[0] if eos else 0
        model.generation_config = decoding
        window = getattr(config, "max_position_embeddings", None)
        return _Loaded(model, tokenizer, frozenset(eos), decoding.pad_token_id, window)

    def _ending(self, model: Any, tokenizer: Any) -> Any:
        """How to decode: to an end that the generation config or the tokenizer names. A checkpoint
        that was trained to chat may have kept the first from one that was not.
        """
        config = self._greedy(model, tokenizer, max_new_tokens=self.params.max_new_tokens)
        own = tokenizer.eos_token_id
        if own is not None and own not in config.eos_token_id:
            config.eos_token_id = [*config.eos_token_id, own]
        return config

    def _encoded(self, index: int, question: str, context: str, first: str) -> _Encoded | None:
        """The prompt's tokens, its context cut to what there is room for; None without room.

        ``first`` is the context's first passage.
        """
        question, context = self._tokens.defused(question), self._tokens.defused(context)
        limit = self.params.max_context_tokens
        window, model = self._loaded.window, self._loaded.model
        if window is not None:
            written = 0 if model.config.is_encoder_decoder else self.params.max_new_tokens
            room = window - written - len(self._tokens.ids(question, "")) - _SLACK
            if room < 0:
                return None
            limit = min(limit, room)
        context, note = self._tokens.cut(context, limit)
        ids = self._tokens.ids(question, context)
        others = ("", self._tokens.defused(first), context)
        splits = tuple(common(ids, self._tokens.ids("0", other)) for other in others)
        return _Encoded(index, (question, context), ids, note, splits)

    def _generate(
        self, prompts: Sequence[list[int]], config: Any = None, held: Held | None = None
    ) -> list[list[int]]:
        """The tokens that the model writes after each prompt, padding included."""
        torch, loaded = self._torch, self._loaded
        width = max(map(len, prompts))
        causal = not loaded.model.config.is_encoder_decoder
        rows, masks = [], []
        for ids in prompts:
            pad = [loaded.pad] * (width - len(ids))
            # A decoder goes on where its row ends: its padding stands in front.
            rows.append(pad + ids if causal else ids + pad)
            blank, kept = [0] * len(pad), [1] * len(ids)
            masks.append(blank + kept if causal else kept + blank)
        device = loaded.model.device
        with torch.inference_mode():
            generated = loaded.model.generate(
                input_ids=torch.tensor(rows, device=device),
                attention_mask=torch.tensor(masks, device=device),
                generation_config=config,
                logits_processor=[held] if held is not None else None,
            )
        continuations: list[list[int]] = generated[:, width if causal else 1 :].tolist()
        return continuations

    def _text_of(self, one: Written, prompt: Sequence[int]) -> tuple[str, dict[str, float], bool]:
        """What was written, what it took, and whether it was cut."""
        row, eos = one.tokens, self._eos
        end = next((at for at, token in enumerate(row) if token in eos), None)
        tokens = len(row) if end is None else end + 1
        usage = {"prompt_tokens": float(len(prompt)), "completion_tokens": float(tokens)}
        text = self._tokenizer.decode(row[:end], skip_special_tokens=True)
        return text, usage | dict(one.seconds), end is None

    def _reply(
        self,
        index: int,
        asked: tuple[str, str],
        prompt: Sequence[int],
        one: Written,
        notes: tuple[str, ...],
        more: Mapping[str, float] | None = None,
    ) -> Reply:
        written, usage, is_cut = self._text_of(one, prompt)
        if notes[0]:
            usage["contexts_cut"] = 1.0
        if is_cut:
            usage["answers_cut"] = 1.0
        cut = f"cut at {len(one.tokens)} tokens" if is_cut else ""
        plain = not (self.reads_images or self._tokenizer.chat_template)
        answer = self._prompt.answer_in(self._tokens.opened(prompt) + written, plain=plain)
        outcome, odd = outcome_of(answer, asked, *notes, cut)
        return Reply(index, outcome, {**usage, **(more or {}), **odd})

    @cached_property
    def _tokens(self) -> PromptTokens:
        return PromptTokens(self._tokenizer, self._prompt)

    @property
    def _tokenizer(self) -> Any:
        return self._seeing.processor.tokenizer if self.reads_images else self._loaded.tokenizer

    @property
    def _eos(self) -> frozenset[int]:
        if not self.reads_images:
            return self._loaded.eos
        return frozenset(self._seeing.model.generation_config.eos_token_id)

    @cached_property
    def _seeing(self) -> Seeing:
        """The model of pictures and text, loaded once. Raises MissingDependencyError."""
        if is_gguf(self._folder):
            raise MissingDependencyError(
                f"{self.name}: {self._folder} is a GGUF file, which looks at no pictures here: "
                "serve it, and take the reader openai"
            )
        with self._loading():
            processor = load_processor(self.name, self._folder, self._transformers)
            model = self._load("AutoModelForImageTextToText")
        model.generation_config = self._ending(model, processor.tokenizer)
        return Seeing(self._torch, model, processor)
