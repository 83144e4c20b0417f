from collections.abc import Iterable, Set

def derives(
    productions: Iterable[tuple[int, tuple[int, ...]]], nonterminals: int, terminals: Set[int], listed: bool
) -> bytearray: ...
