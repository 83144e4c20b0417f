from ffgrammar.tokens.canonical.rules import CanonicalRules

def settled_count(rules: CanonicalRules, ids: tuple[int, ...]) -> int: ...

class UnsettledEnd:
    """The coverings of the end of a sequence."""

    def __init__(self, rules: CanonicalRules) -> None: ...
