from ffgrammar.tokens.bpe.token_masks import TokenMasks

class Successors(TokenMasks):
    """The successors of all tokens. Those of a token are found when they are first asked for."""

    def after(self, token: int) -> bytes: ...
