"""The base of plug-ins with transformers: finds, loads and identifies a model; greedy decoding.

torch and transformers are imported only when the model or its version is needed.
"""

from __future__ import annotations

import copy
import importlib
import io
import logging
import platform
import struct
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stderr
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, cast

from pydantic import Field

from ohr import plugins
from ohr.errors import ConfigError, MissingDependencyError
from ohr.models.checkpoints import checkpoint_digest, find_checkpoint, is_gguf
from ohr.models.forms import Form, form_of
from ohr.plugins.base import P, Plugin

log = logging.getLogger("ohr.models")
NO_HALF_PRECISION = frozenset({"DEFAULT", "NO AVX", "AVX2"})
"""torch's names of x86 processors without instructions for half precision."""


class LocalModelParams(plugins.Params):
    """Parameters of all local models.

    ``model``: a folder with a checkpoint, or a hub name in the local cache; nothing is downloaded.
    ``device``: ``auto`` is the first GPU that torch sees, otherwise the CPU. ``dtype``: ``auto`` is
    the checkpoint's own on a GPU and float32 on the CPU; ``bfloat16`` is faster only on processors
    that multiply in it (AVX-512 or AMX with BF16), and much slower on others. ``max_new_tokens``:
    an output is cut off at this length.
    """

    model: str = Field(min_length=1)
    revision: str | None = None
    device: str = Field("auto", pattern=r"^(auto|cpu|cuda(:\d+)?)$")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    batch_size: int = Field(1, ge=1, le=256)
    max_new_tokens: int = Field(4096, ge=1)


class Checkpoint(Protocol):
    """The parameters that a plug-in with a local model must have."""

    model: str
    revision: str | None
    device: str
    dtype: str


class LocalModel(Plugin[P], abstract=True):
    """A plug-in that runs a checkpoint from this machine in its own process."""

    argument: ClassVar[str | None] = "model"
    install: ClassVar[str]
    """The command that installs its packages."""

    reads_gguf: ClassVar[bool] = False
    """Whether ``model`` may be a GGUF file."""
    stand_ins: ClassVar[Mapping[Form, str]] = {}
    """Other forms of ``model`` -> the registered plug-in that takes it."""

    @classmethod
    def stand_in(cls, params: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
        """The plug-in for a model in another form, with the same parameters."""
        model = params.get("model")
        other = cls.stand_ins.get(form_of(model)) if isinstance(model, str) else None
        return None if other is None else (other, params)

    @classmethod
    def forms(cls) -> tuple[Form, ...]:
        """The forms of ``model`` that can be named, the plug-ins that stand in included."""
        own: tuple[Form, ...] = ("folder", "gguf") if cls.reads_gguf else ("folder",)
        return (*own, *cls.stand_ins)

    def model_version(self) -> str:
        """Versions of transformers and torch, kind of device, dtype, digest of the checkpoint.

        Raises MissingDependencyError and ConfigError.
        """
        try:
            packages = ["transformers", "torch", *(["gguf"] if is_gguf(self._folder) else [])]
            parts = [f"{package} {version(package)}" for package in packages]
        except PackageNotFoundError as error:
            raise MissingDependencyError(
                f"{self.name}: {error.name} is not installed: {self._install_of(str(error.name))}"
            ) from error
        device = self._device.partition(":")[0]
        parts += [f"{device} {self._dtype}", f"checkpoint {checkpoint_digest(self._folder)}"]
        return ", ".join(parts)

    @cached_property
    def _folder(self) -> Path:
        """The checkpoint's folder, or its GGUF file."""
        where = self._checkpoint
        return find_checkpoint(self.name, where.model, where.revision, self.install, self.forms())

    @property
    def _pretrained(self) -> dict[str, Any]:
        """The arguments of ``from_pretrained``: the checkpoint, no downloads, no remote code."""
        options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        if not is_gguf(self._folder):
            return options | {"pretrained_model_name_or_path": self._folder}
        self._package("gguf")
        path = self._folder
        return options | {"pretrained_model_name_or_path": path.parent, "gguf_file": path.name}

    @cached_property
    def _device(self) -> str:
        device = self._checkpoint.device
        if device == "cpu":
            return device
        count = self._torch.cuda.device_count() if self._torch.cuda.is_available() else 0
        if device == "auto":
            return "cuda" if count else "cpu"
        if int(device.partition(":")[2] or 0) >= count:
            raise MissingDependencyError(
                f"{self.name}: device {device!r} asked for, but torch "
                f"{self._torch.__version__} sees {count} GPUs: take device=cpu, "
                "or install a driver and a torch built for it"
            )
        return device

    @property
    def _dtype(self) -> str:
        """A dtype's name, or ``auto`` for the checkpoint's own."""
        if self._checkpoint.dtype == "auto" and self._device == "cpu":
            return "float32"  # half precision is slower on most processors, and less exact
        return self._checkpoint.dtype

    @property
    def _checkpoint(self) -> Checkpoint:
        return cast(Checkpoint, self.params)

    @property
    def _torch(self) -> Any:
        return self._package("torch")

    @property
    def _transformers(self) -> Any:
        return self._package("transformers")

    def _package(self, name: str) -> Any:
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise MissingDependencyError(
                f"{self.name}: {name} cannot be imported ({error}): {self._install_of(name)}"
            ) from error

    def _install_of(self, package: str) -> str:
        return "pip install gguf" if package == "gguf" else self.install

    @contextmanager
    def _loading(self) -> Iterator[None]:
        """Turn any error inside the block, other than ConfigError, into MissingDependencyError."""
        _, logging = self._torch, self._transformers.utils.logging
        has_bar, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
        logging.disable_progress_bar()
        quiet: AbstractContextManager[Any] = nullcontext()
        if is_gguf(self._folder):  # loading one suggests other dtypes, and shows its own bar
            logging.set_verbosity_error()
            quiet = redirect_stderr(io.StringIO())
        try:
            with quiet:
                yield
            self._warn_of_speed()
        except (ConfigError, MissingDependencyError):
            raise
        except Exception as error:  # with a damaged file, loaders can raise anything
            reason = f"cannot be loaded: {type(error).__name__}: {error}"
            if is_gguf(self._folder) and _is_damage(error):
                reason = f"is cut short or damaged: fetch it again ({error})"
            raise MissingDependencyError(
                " ".join(f"{self.name}: {self._folder} {reason}".split())[:500]
            ) from error
        finally:
            logging.set_verbosity(verbosity)
            if has_bar:
                logging.enable_progress_bar()

    def _load(self, model_class: str, **more: Any) -> Any:
        """The model on its device, in evaluation mode. Raises MissingDependencyError."""
        model, info = getattr(self._transformers, model_class).from_pretrained(
            **self._pretrained, dtype=self._dtype, output_loading_info=True, **more
        )
        lost = set(info["missing_keys"]) & {name for name, _ in model.named_parameters()}
        if lost:  # transformers filled them with random numbers
            raise MissingDependencyError(
                f"{self.name}: {self._folder} lacks weights ({len(lost)}, such as {min(lost)}): "
                "fetch the checkpoint again"
            )
        return model.to(self._device).eval()

    def _warn_of_speed(self) -> None:
        if self._device != "cpu" or self._dtype == "float32":
            return
        x86 = platform.machine() in ("x86_64", "AMD64")
        if x86 and self._torch.backends.cpu.get_cpu_capability() in NO_HALF_PRECISION:
            log.warning(
                "%s: this processor does not multiply in %s, which takes several times as long "
                "as dtype=float32",
                self.name,
                self._dtype,
            )

    def _greedy(self, model: Any, tokenizer: Any, **more: Any) -> Any:
        """The checkpoint's generation config for greedy decoding, with the changes in ``more``."""
        config = copy.deepcopy(model.generation_config)
        config.update(
            do_sample=False,
            num_beams=1,
            temperature=None,
            top_p=None,
            top_k=None,
            max_length=None,
            forced_eos_token_id=None,  # it would hide that an output was cut
            num_return_sequences=1,
            return_dict_in_generate=False,
            prompt_lookup_num_tokens=None,
            # Checkpoints often have it off after training, which reads a given state twice; and
            # a cache implementation of their own accepts no state.
            use_cache=True,
            cache_implementation=None,
        )
        config.update(**more)
        eos = config.eos_token_id if config.eos_token_id is not None else tokenizer.eos_token_id
        config.eos_token_id = [eos] if isinstance(eos, int) else eos or []
        if config.pad_token_id is None:
            config.pad_token_id = tokenizer.pad_token_id
        return config


def _is_damage(error: Exception) -> bool:
    """Whether an error means that a GGUF file is cut short or damaged."""
    return isinstance(error, struct.error | EOFError | IndexError | UnicodeDecodeError) or (
        isinstance(error, ValueError) and "reshape" in str(error)
    )


def problem(error: Exception, memory_fix: str) -> str:
    """A model's error as one line; ``memory_fix`` is the advice if memory ran out."""
    if type(error).__name__ == "OutOfMemoryError" or isinstance(error, MemoryError):
        return f"out of memory: {memory_fix}"
    return f"{type(error).__name__}: {error}"
