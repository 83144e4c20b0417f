from ffgrammar.tokens.bpe.merges import Merges

class Predecessors:
    """The predecessors of all tokens. Those of a token are found when they are first asked for."""

    def __init__(self, merges: Merges, max_bytes: int = ...) -> None: ...
    def before(self, token: int) -> bytes: ...
