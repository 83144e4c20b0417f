"""ffgrammar tells a language model's sampler which tokens a grammar allows next, and which it forces.

    import ffgrammar as ff

    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    grammar = ff.compile_json_schema({"type": "object"}, tok)
    matcher = grammar.matcher()
    bitmask = ff.allocate_bitmask(1, tok.vocab_size)
    matcher.fill_bitmask(bitmask)

A `Tokenizer` is a vocabulary, a `Grammar` is compiled for one vocabulary, and a `Matcher` follows one text. The public
names are listed in `__all__`; each has a docstring. Importing the package costs next to nothing, because a name is
loaded when it is first used. `python -m ffgrammar` is the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ffgrammar.api.bitmask import allocate_bitmask
    from ffgrammar.api.character_prefix import CharacterPrefix, PrefixContext, PrefixDistribution
    from ffgrammar.api.compile import (
        compile_choice,
        compile_ebnf,
        compile_gbnf,
        compile_json_schema,
        compile_lark,
        compile_regex,
        compile_structural_tag,
        compose,
    )
    from ffgrammar.api.compiler import Compiler
    from ffgrammar.api.dispatch.compile_any import compile
    from ffgrammar.api.grammar import Grammar
    from ffgrammar.api.heal import Healing, heal
    from ffgrammar.api.library import LibraryGrammar, compile_library, library_grammar, library_names
    from ffgrammar.api.load import load
    from ffgrammar.api.parts import Part, capture, choice_of, optional, repeat, sequence, special_token, text
    from ffgrammar.api.tools.compile import compile_tools
    from ffgrammar.api.tools.read import Answer, ToolCall, read_answer
    from ffgrammar.api.tools.request import compile_request
    from ffgrammar.api.tools.response_format import compile_response_format
    from ffgrammar.api.types.schema_of import schema_of
    from ffgrammar.core.errors import (
        CompiledFileError,
        FFGrammarError,
        GrammarError,
        LimitError,
        MatcherError,
        TokenizerError,
        UnsupportedError,
    )
    from ffgrammar.core.limits import Limits
    from ffgrammar.engine.budget.fewest_tokens import FewestTokens
    from ffgrammar.engine.captures.capture import Capture, CaptureEvent
    from ffgrammar.engine.explain.explanation import ExpectedLexeme, Explanation, LiveLexeme, Refusal
    from ffgrammar.engine.matcher.apply import apply_bitmask
    from ffgrammar.engine.matcher.batch import fill_bitmask, fill_draft_bitmasks
    from ffgrammar.engine.matcher.matcher import CanonicalMatcher, Matcher
    from ffgrammar.tokens.canonical.coverings import Covering
    from ffgrammar.tokens.incremental import IncrementalEncoder
    from ffgrammar.tokens.report import CanonicalityReport, is_canonical
    from ffgrammar.tokens.tokenizer import Tokenizer
    from ffgrammar.tokens.tracker import CanonicalityTracker

# The only place that says which version this is: pyproject.toml and `ffgrammar --version` read it here.
__version__ = "0.1.0"

# Public name -> the module below `ffgrammar` that defines it.
_HOME = {
    "allocate_bitmask": "api.bitmask",
    "CharacterPrefix": "api.character_prefix",
    "PrefixContext": "api.character_prefix",
    "PrefixDistribution": "api.character_prefix",
    "compile_choice": "api.compile",
    "compile_ebnf": "api.compile",
    "compile_gbnf": "api.compile",
    "compile_json_schema": "api.compile",
    "compile_lark": "api.compile",
    "compile_regex": "api.compile",
    "compile_structural_tag": "api.compile",
    "compose": "api.compile",
    "Compiler": "api.compiler",
    "compile": "api.dispatch.compile_any",
    "LibraryGrammar": "api.library",
    "compile_library": "api.library",
    "library_grammar": "api.library",
    "library_names": "api.library",
    "load": "api.load",
    "Part": "api.parts",
    "capture": "api.parts",
    "choice_of": "api.parts",
    "optional": "api.parts",
    "repeat": "api.parts",
    "sequence": "api.parts",
    "special_token": "api.parts",
    "text": "api.parts",
    "compile_tools": "api.tools.compile",
    "Answer": "api.tools.read",
    "ToolCall": "api.tools.read",
    "read_answer": "api.tools.read",
    "compile_request": "api.tools.request",
    "compile_response_format": "api.tools.response_format",
    "schema_of": "api.types.schema_of",
    "Grammar": "api.grammar",
    "Healing": "api.heal",
    "heal": "api.heal",
    "CompiledFileError": "core.errors",
    "FFGrammarError": "core.errors",
    "GrammarError": "core.errors",
    "LimitError": "core.errors",
    "MatcherError": "core.errors",
    "TokenizerError": "core.errors",
    "UnsupportedError": "core.errors",
    "Limits": "core.limits",
    "FewestTokens": "engine.budget.fewest_tokens",
    "Capture": "engine.captures.capture",
    "CaptureEvent": "engine.captures.capture",
    "ExpectedLexeme": "engine.explain.explanation",
    "Explanation": "engine.explain.explanation",
    "LiveLexeme": "engine.explain.explanation",
    "Refusal": "engine.explain.explanation",
    "apply_bitmask": "engine.matcher.apply",
    "fill_bitmask": "engine.matcher.batch",
    "fill_draft_bitmasks": "engine.matcher.batch",
    "CanonicalMatcher": "engine.matcher.matcher",
    "Matcher": "engine.matcher.matcher",
    "CanonicalityReport": "tokens.report",
    "is_canonical": "tokens.report",
    "Covering": "tokens.canonical.coverings",
    "IncrementalEncoder": "tokens.incremental",
    "Tokenizer": "tokens.tokenizer",
    "CanonicalityTracker": "tokens.tracker",
}

__all__ = [
    "Answer",
    "CanonicalMatcher",
    "CanonicalityReport",
    "CanonicalityTracker",
    "Capture",
    "CaptureEvent",
    "CharacterPrefix",
    "CompiledFileError",
    "Compiler",
    "Covering",
    "ExpectedLexeme",
    "Explanation",
    "FFGrammarError",
    "FewestTokens",
    "Grammar",
    "GrammarError",
    "Healing",
    "IncrementalEncoder",
    "LibraryGrammar",
    "LimitError",
    "Limits",
    "LiveLexeme",
    "Matcher",
    "MatcherError",
    "Part",
    "PrefixContext",
    "PrefixDistribution",
    "Refusal",
    "Tokenizer",
    "TokenizerError",
    "ToolCall",
    "UnsupportedError",
    "__version__",
    "allocate_bitmask",
    "apply_bitmask",
    "capture",
    "choice_of",
    "compile",
    "compile_choice",
    "compile_ebnf",
    "compile_gbnf",
    "compile_json_schema",
    "compile_lark",
    "compile_library",
    "compile_regex",
    "compile_request",
    "compile_response_format",
    "compile_structural_tag",
    "compile_tools",
    "compose",
    "fill_bitmask",
    "fill_draft_bitmasks",
    "heal",
    "is_canonical",
    "library_grammar",
    "library_names",
    "load",
    "optional",
    "read_answer",
    "repeat",
    "schema_of",
    "sequence",
    "special_token",
    "text",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'ffgrammar' has no attribute {name!r}")
    try:
        # (here, because it takes longer than all other imports of this module)
        from ffgrammar.core.whole_imports import import_whole

        value = getattr(import_whole(f"ffgrammar.{home}"), name)
    except ImportError as error:
        # (a compiled module is missing, or the one is that all of them need)
        if (error.name or "").startswith("ffgrammar.") and (
            isinstance(error, ModuleNotFoundError) or "cython_shared" in str(error)
        ):
            # Python found the sources of a checkout before any installed package, and they were never built.
            raise ImportError(
                f"{__path__[0]} is a source tree that is not built: type `make` in the directory above to build it in "
                "place, or start Python in another directory to use an installed ffgrammar"
            ) from None
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
