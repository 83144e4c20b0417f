"""The library of grammars: languages that many people use, each under a short name.

The grammars lie in the folder `grammars/` of the sources. They are installed as the folder `library` of the package, so
that nothing has to be found on a user's machine. Each is a file `NAME.lark` or `NAME.regex`, and its first comment says
what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ffgrammar.api.compile import compile_lark, compile_regex
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.names import did_you_mean, shown
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["LibraryGrammar", "compile_library", "library_folder", "library_grammar", "library_names"]

# The notations of the library, by the extension of the file.
KINDS = {".lark": "lark", ".regex": "regex"}
# What begins a comment in any of them.
COMMENT = ("// ", "# ")


@dataclass(frozen=True)
class LibraryGrammar:
    """A grammar of the library before it is compiled.

    Attributes:
        name: by which the library knows it.
        kind: its notation, "lark" or "regex".
        text: the grammar itself.
    """

    name: str
    kind: str
    text: str

    @property
    def description(self) -> str:
        """What the language is: the first comment of the grammar, in one line."""
        lines = self.text.splitlines()
        first = next(number for number, line in enumerate(lines) if line.startswith(COMMENT))
        return lines[first].partition(" ")[2].strip()


def library_folder() -> Path:
    """The folder of the grammars. It also has grammars in other notations, and samples of texts."""
    package = Path(__file__).resolve().parents[1]
    folder = package / "library"
    # (in a checkout that is built in place the folder is not in the package, but beside it)
    return folder if folder.is_dir() else package.parent / "grammars"


def _paths() -> dict[str, Path]:
    """The files of the grammars by name, in alphabetical order."""
    found = sorted(library_folder().iterdir(), key=lambda path: path.stem)
    return {path.stem: path for path in found if path.suffix in KINDS}


def library_names() -> list[str]:
    """The names of the grammars in the library, in alphabetical order."""
    return list(_paths())


def library_grammar(name: str) -> LibraryGrammar:
    """The text of a grammar of the library.

    Args:
        name: one of `library_names()`.

    Raises:
        GrammarError: there is no grammar of this name.
        TypeError: the name is not a str.
    """
    expect("library_grammar: name", name, str, "a str")
    paths = _paths()
    if name not in paths:
        hint = did_you_mean(name.lower(), paths) or f"; there are {', '.join(paths)}"
        raise GrammarError(f"the library has no grammar {shown(name)}{hint}")
    path = paths[name]
    return LibraryGrammar(name, KINDS[path.suffix], path.read_text(encoding="utf-8"))


def compile_library(name: str, tokenizer: Tokenizer, *, limits: Limits | None = None) -> Grammar:
    """The texts of a language in the library.

    Args:
        name: one of `library_names()`, such as "json" or "sql".
        tokenizer: the vocabulary.
        limits: bounds on the cost.

    Raises:
        GrammarError: there is no grammar of this name.
        LimitError: a bound was reached.
        TypeError: an argument is of another type.
    """
    found = library_grammar(name)
    if found.kind == "lark":
        return compile_lark(found.text, tokenizer, limits=limits)
    return compile_regex(found.text.removesuffix("\n"), tokenizer, limits=limits)
