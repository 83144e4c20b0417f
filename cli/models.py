"""Loads the language models that the command line names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ffgrammar.lm import Model

__all__ = ["load_model", "model_option"]

model_option = click.option(
    "--model",
    "path",
    required=True,
    metavar="PATH",
    type=click.Path(exists=True),
    help="A GGUF file, which llama-cpp-python runs, or a folder with a model of transformers.",
)


def load_model(path: str) -> Model:
    """A model by its file or folder, with the vocabulary that belongs to it.

    Raises:
        click.ClickException: a package is missing, or the model cannot be loaded.
    """
    from ffgrammar import lm

    is_folder = Path(path).is_dir()
    extra = "transformers" if is_folder else "llama-cpp"
    try:
        made = _from_folder(path) if is_folder else _from_file(path)
    except ImportError as error:
        raise click.ClickException(f"--model {path} needs pip install 'ffgrammar[{extra}]' ({error})") from error
    except (OSError, RuntimeError, ValueError) as error:
        raise click.ClickException(f"--model {path}: {error}") from error
    return lm.Model.from_transformers(*made) if is_folder else lm.Model.from_llama_cpp(*made)


def _from_file(path: str) -> tuple[Any]:
    from llama_cpp import Llama

    return (Llama(path, n_ctx=0, verbose=False),)


def _from_folder(path: str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return AutoModelForCausalLM.from_pretrained(path).eval(), AutoTokenizer.from_pretrained(path)
