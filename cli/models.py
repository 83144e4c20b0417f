"""Loads the language models that the command line names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ffgrammar.lm import Model

__all__ = ["load_model", "model_option"]

# The names of models on transformers' hub.
NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)

model_option = click.option(
    "--model",
    "path",
    required=True,
    metavar="PATH|NAME",
    help="A GGUF file, which llama-cpp-python runs; a folder with a model of transformers, or the name of one that "
    "transformers has fetched before.",
)


def load_model(path: str) -> Model:
    """A model by its file, folder or name, with the vocabulary that belongs to it. Nothing is fetched.

    Raises:
        click.UsageError: there is no such file, and the text is no name of a model.
        click.ClickException: a package is missing, or the model cannot be loaded.
    """
    from ffgrammar import lm

    is_file = Path(path).is_file()
    if not Path(path).exists() and NAME.fullmatch(path) is None:
        raise click.UsageError(f"--model {path}: there is no such file or folder, and a name is like OWNER/MODEL")
    extra = "llama-cpp" if is_file else "transformers"
    try:
        made = _from_file(path) if is_file else _from_transformers(path)
    except ImportError as error:
        raise click.ClickException(f"--model {path} needs pip install 'ffgrammar[{extra}]' ({error})") from error
    except (OSError, RuntimeError, ValueError) as error:
        raise click.ClickException(f"--model {path}: {error}") from error
    return lm.Model.from_llama_cpp(*made) if is_file else lm.Model.from_transformers(*made)


def _from_file(path: str) -> tuple[Any]:
    from llama_cpp import Llama

    return (Llama(path, n_ctx=0, verbose=False),)


def _from_transformers(name: str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(name, local_files_only=True)
    return model.eval(), AutoTokenizer.from_pretrained(name, local_files_only=True)
