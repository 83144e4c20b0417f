"""The arguments and options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = [
    "EMBEDDED",
    "GRAMMAR",
    "KINDS",
    "PATH",
    "Prefix",
    "VocabularyName",
    "VocabularyType",
    "check_requests",
    "example",
    "grammar_argument",
    "grammar_options",
    "json_option",
    "ndjson_option",
    "parse_ids",
    "prefix_options",
    "start_options",
    "text_bytes",
    "tokenizer_option",
]

F = TypeVar("F", bound=Callable[..., Any])

# The kinds of grammars, by how the file's name ends; the longest end counts. cli/sources.py compiles each kind.
EXTENSIONS = {
    ".json": "json-schema",
    ".lark": "lark",
    ".gbnf": "gbnf",
    ".ebnf": "ebnf",
    ".regex": "regex",
    ".choice": "choice",
    ".tag.json": "structural-tag",
    ".ffg": "compiled",
}
KINDS = [*EXTENSIONS.values(), "tools", "request"]

# The vocabularies that the package contains.
EMBEDDED = ("cl100k_base", "o200k_base")

# A file name, so that shells complete it. Whether the file can be read is found out when it is opened.
PATH = click.Path(readable=False, allow_dash=True)


class GrammarType(click.Path):
    """A path, or @NAME for a grammar of the library. A shell completes the names after @."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        if not incomplete.startswith("@"):
            return super().shell_complete(ctx, param, incomplete)
        from click.shell_completion import CompletionItem

        from ffgrammar import library_names

        return [CompletionItem(f"@{name}") for name in library_names() if name.startswith(incomplete[1:])]


GRAMMAR = GrammarType(readable=False, allow_dash=True)

grammar_argument = click.argument("grammar", metavar="GRAMMAR", type=GRAMMAR)

json_option = click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")

ndjson_option = click.option(
    "--ndjson",
    is_flag=True,
    help="Read one JSON request a line from stdin; write one JSON answer a line, flushed.",
)


def example(text: str) -> str:
    """A help epilog that shows a command line. A test runs every such command line.

    The backspace at its start is click's mark for text whose lines are kept.
    """
    return f"\b\nExample:\n  {text}"


def _with_options(function: Any, options: list[Callable[[Any], Any]]) -> Any:
    for option in reversed(options):
        function = option(function)
    return function


# The options of `grammar_options`, in the order in which --help shows them.
GRAMMAR_OPTIONS = [
    click.option(
        "--type",
        "kind",
        type=click.Choice(KINDS),
        help="The kind of grammar, where the extension does not say it. "
        "choice: a JSON array of strings, or one string a line. tools: a JSON array of tools, as for OpenAI's or "
        "Anthropic's API. request: the JSON of a request to one of these APIs.",
    ),
    click.option(
        "--whitespace",
        metavar="flexible|compact|N",
        help="For schemas: white space wherever JSON allows it (flexible, the default), none (compact), or at most N "
        "characters at each place.",
    ),
    click.option(
        "--separators",
        nargs=2,
        metavar="ITEM KEY",
        help="For schemas: exactly what stands between items, and between a key and its value, for example "
        "', ' ': '. No other white space is allowed then.",
    ),
    click.option(
        "--indent",
        type=click.IntRange(0, 1000),
        metavar="N",
        help="For schemas: items are on lines of their own, each indented by a multiple of N spaces.",
    ),
    click.option(
        "--formats",
        type=click.Choice(["enforce", "annotation"]),
        metavar="enforce|annotation",
        help="For schemas: enforce the formats that are known (the default), or only warn about them.",
    ),
    click.option(
        "--property-order",
        type=click.Choice(["schema", "any"]),
        metavar="schema|any",
        help="For schemas: declared keys in the schema's order, then other keys (schema, the default), or all keys in "
        "any order (any).",
    ),
    click.option(
        "--integer-spelling",
        type=click.Choice(["plain", "any"]),
        metavar="plain|any",
        help="For schemas: integers are written with digits only (the default), or also as 1.0 or 1e2.",
    ),
    click.option(
        "--draft",
        type=int,
        metavar="4|6|7|2019|2020",
        help="For schemas: the draft, whatever $schema says.",
    ),
    click.option(
        "--registry",
        multiple=True,
        type=PATH,
        metavar="PATH|URI=PATH",
        help="For schemas: a file with a schema that others may refer to, or a folder of such .json files; nothing is "
        "fetched. A schema is known by URI (in a folder by URI/FILE), or by its $id if no URI is given. Repeatable.",
    ),
    click.option(
        "--lexing",
        type=click.Choice(["longest", "any"]),
        metavar="longest|any",
        help="For Lark: a lexeme is as long as it can be (longest, the default), or may end wherever it matches (any).",
    ),
    click.option(
        "--start",
        "start_rule",
        metavar="NAME",
        help="For Lark, GBNF and EBNF: the rule that matches a whole text (default: start, or root).",
    ),
    click.option(
        "--import-path",
        "import_paths",
        multiple=True,
        type=click.Path(file_okay=False, exists=True),
        metavar="FOLDER",
        help="For Lark: a folder with the files that %import names. `%import .name` looks beside the grammar. "
        "Repeatable.",
    ),
    click.option(
        "--tool-format",
        metavar="NAME",
        help="For tools and requests: the format in which the model calls them, such as hermes or llama3.",
    ),
    click.option(
        "--tool-choice",
        metavar="auto|required|none|NAME",
        help="For tools: text or calls (auto, the default), at least one call (required), text only (none), or a call "
        "of one tool (NAME).",
    ),
    click.option(
        "--reasoning",
        metavar="NAME",
        help="For tools and requests: the model's block of reasoning stands before the answer; NAME is a family, such "
        "as qwen.",
    ),
    click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="NAME=VALUE|public|trusted",
        help="Change a limit that an error named, for example --limit dfa_states=200000. Repeatable. --limit public "
        "is for grammars from strangers, --limit trusted for large ones of your own.",
    ),
]


def grammar_options(function: F) -> F:
    """--type and the options of compilation, which are the keyword arguments of `load_grammar`."""
    found: F = _with_options(function, GRAMMAR_OPTIONS)
    return found


@dataclass(frozen=True)
class VocabularyName:
    """What the command line says about the vocabulary: --tokenizer, --pattern and --eos."""

    name: str
    pattern: str | None = None
    eos: tuple[int, ...] | None = None


class VocabularyType(click.types.StringParamType):
    """The name of an embedded vocabulary, or a path. A shell completes what is typed to a name, or to a file if no name
    begins with it."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name) for name in EMBEDDED if name.startswith(incomplete)]
        return names or [CompletionItem(incomplete, type="file")]


def tokenizer_option(function: F) -> F:
    """--tokenizer, --pattern and --eos. They arrive as one `VocabularyName`."""

    @wraps(function)
    def with_vocabulary(*args: Any, tokenizer: str, pattern: str | None, eos: str | None, **others: Any) -> Any:
        ends = None if eos is None else tuple(parse_ids(eos))
        return function(*args, tokenizer=VocabularyName(tokenizer, pattern, ends), **others)

    options = [
        click.option(
            "--tokenizer",
            default=EMBEDDED[0],
            show_default=True,
            type=VocabularyType(),
            metavar="NAME|PATH",
            help="An embedded vocabulary, a tokenizer's file, or a model's folder. `ffgrammar tokenizers` lists the "
            "kinds of files.",
        ),
        click.option("--pattern", metavar="REGEX", help="How the tokenizer of a rank file splits text."),
        click.option("--eos", metavar="IDS", help="The tokens that end a text, instead of the tokenizer's own."),
    ]
    found: F = _with_options(with_vocabulary, options)
    return found


@dataclass(frozen=True)
class Prefix:
    """The text so far, as bytes or as token ids."""

    data: bytes = b""
    tokens: tuple[int, ...] | None = None


def parse_ids(text: str) -> list[int]:
    """Token ids separated by commas or blanks. A JSON array of them is read, too."""
    words = text.replace(",", " ").replace("[", " ").replace("]", " ").split()
    try:
        return [int(word) for word in words]
    except ValueError as error:
        raise click.UsageError(f"not token ids: {text.strip()[:60]!r}; write them as 1,2,3") from error


def text_bytes(text: str) -> bytes:
    """The bytes of a command line argument, including bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def _hex_bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise click.UsageError(f"not bytes in hexadecimal: {text[:60]!r}; write two digits a byte, as 7b22") from error


def prefix_options(function: F) -> F:
    """--prefix, --prefix-bytes and --prefix-tokens, at most one of them. They arrive as one `Prefix`."""

    @wraps(function)
    def with_prefix(
        *args: Any, prefix_text: str | None, prefix_hex: str | None, prefix_ids: str | None, **others: Any
    ) -> Any:
        if sum(given is not None for given in (prefix_text, prefix_hex, prefix_ids)) > 1:
            raise click.UsageError("give one of --prefix, --prefix-bytes, --prefix-tokens")
        prefix = Prefix()
        if prefix_text is not None:
            prefix = Prefix(text_bytes(prefix_text))
        elif prefix_hex is not None:
            prefix = Prefix(_hex_bytes(prefix_hex))
        elif prefix_ids is not None:
            prefix = Prefix(tokens=tuple(parse_ids(prefix_ids)))
        return function(*args, prefix=prefix, **others)

    options = [
        click.option("--prefix", "prefix_text", metavar="TEXT", help="The text so far (default: none)."),
        click.option("--prefix-bytes", "prefix_hex", metavar="HEX", help="The text so far, in hexadecimal."),
        click.option("--prefix-tokens", "prefix_ids", metavar="IDS", help="The text so far, as token ids: 1,2,3."),
    ]
    found: F = _with_options(with_prefix, options)
    return found


def check_requests(ndjson: bool, grammar: str, prefix: Prefix) -> None:
    """Refuse what cannot stand beside --ndjson.

    Raises:
        click.UsageError: stdin is the grammar, or there is a prefix.
    """
    if ndjson and grammar == "-":
        raise click.UsageError("stdin cannot be both the grammar and the requests")
    if ndjson and prefix != Prefix():
        raise click.UsageError("with --ndjson the prefixes come from stdin")


def start_options(function: F) -> F:
    """--prompt, --special, --canonical and --max-tokens. They arrive as `start`, the keyword arguments of
    `Grammar.matcher`."""

    @wraps(function)
    def with_start(
        *args: Any, prompt: str | None, special: str | None, canonical: bool, max_tokens: int | None, **others: Any
    ) -> Any:
        start: dict[str, Any] = {}
        if prompt is not None:
            start["prompt"] = text_bytes(prompt)
            start["special"] = special
        elif special is not None:
            raise click.UsageError("--special is about --prompt, which is not given")
        if canonical:
            start["canonical"] = True
        if max_tokens is not None:
            start["max_tokens"] = max_tokens
        return function(*args, start=start, **others)

    options = [
        click.option(
            "--prompt",
            metavar="TEXT",
            help="The prompt before the text. Those of its last tokens that the text may change are taken back, and "
            "the first tokens of the text spell their bytes again.",
        ),
        click.option(
            "--special",
            type=click.Choice(["allow", "text"]),
            help="How the name of a special token in the prompt is read: as that token (allow), or as ordinary text "
            "(text).",
        ),
        click.option("--canonical", is_flag=True, help="Allow only tokens that the tokenizer itself would write."),
        click.option(
            "--max-tokens",
            type=click.IntRange(min=0),
            metavar="N",
            help="Allow a token only if the text can be completed with N tokens in all. Bytes of --prefix take none.",
        ),
    ]
    found: F = _with_options(with_start, options)
    return found
