from ffgrammar.tokens.bpe.token_masks import TokenMasks

class Predecessors(TokenMasks):
    """The predecessors of all tokens. Those of a token are found when they are first asked for."""

    def before(self, token: int) -> bytes: ...
