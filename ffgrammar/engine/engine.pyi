from collections.abc import Callable
from typing import TypeVar

from ffgrammar.core.limits import Limits
from ffgrammar.engine.parser.lowering import RuleTables
from ffgrammar.grammar.ir import GrammarIR, Lexeme, RuleNote
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.trie import TokenTrie

T = TypeVar("T")

class Engine:
    tables: RuleTables
    store: ExprStore
    tokenizer: Tokenizer
    trie: TokenTrie
    limits: Limits
    kind: str
    outlined: GrammarIR | None
    leaf_engines: dict[int, Engine]
    lexemes: tuple[Lexeme, ...]
    names: tuple[str, ...]
    rule_names: tuple[str, ...]
    rule_notes: tuple[RuleNote, ...]
    def __init__(self, grammar: GrammarIR, tokenizer: Tokenizer, limits: Limits) -> None: ...
    def paused(self, call: Callable[[], T]) -> T: ...
    def held_bytes(self) -> int: ...
    def stats(self) -> dict[str, int]: ...
