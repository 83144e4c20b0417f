"""`ExprStore`: the Python face of hash-consed byte expressions.

A grammar has one store. Front-ends build expressions in it by algebra. Each expression is an int:

    store = ExprStore()
    digits = store.repeat(store.byte_set(b"0123456789"), 1, None)
    even = store.intersect([digits, store.concat([ANY_BYTES, store.byte_set(b"02468")])])
    store.matches(even, b"128")    # True
    store.derivative(even, ord("1")) == store.derivative(even, ord("3"))    # True: ids can be compared

Matching byte by byte from Python is slow. The engine runs expressions as an automaton (regex/dfa).
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.intern cimport intern_count
from ffgrammar.core.pulse cimport Pulse, allow_work, pulse, pulse_begin, raise_kernel
from ffgrammar.core.status cimport LIMIT_COMPILE_WORK, OK
from ffgrammar.core.vec cimport Vec, vec_free, vec_init, vec_push
from ffgrammar.regex.expr cimport nodes as nd
from ffgrammar.regex.expr.derivative cimport derivative
from ffgrammar.regex.expr.emptiness cimport matches_something
from ffgrammar.regex.expr.multiples cimport NO_POINT, make_multiples, make_part, two_words
from ffgrammar.regex.expr.members cimport make_intersection, make_union
from ffgrammar.regex.expr.nodes cimport (
    COMPILE_CALLS, VISITS_A_STEP, allow_visits, make_complement, make_concat, make_literal, make_repeat, make_set, node, node_len,
    nodes_copy, nodes_free, nodes_init, nullable,
)
from ffgrammar.regex.expr.approximate cimport min_distinguishing_length, relaxed
from ffgrammar.regex.expr.sorted_texts cimport sort_texts

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits, limits_key

cdef extern from "Python.h":
    # (declared here because the usual declaration does not take NULL)
    Py_ssize_t PyNumber_AsSsize_t(object number, void* error) except? -1

NOTHING = 0
EMPTY = 1
ANY_BYTES = 2
MAX_REPEAT = 0xFFFFFFFE
# The largest `divisor` and the largest `places` of `multiples`
MAX_DIVISOR = 0x7FFFFFFFFFFFFFFF
MAX_PLACES = 0x0FFFFFFF


cdef class ExprStore:
    """Expressions over bytes, each an int id. Expressions that are equal by simple laws have equal ids.

    Every method that makes an expression raises LimitError when a bound is reached. Every method that takes an id raises
    ValueError for an int that is no id of this store.

    Args:
        limits: `expressions`, `expression_size`, `nesting` and `emptiness_steps` bound the store.

    Attributes:
        limits: those given, or the default ones.
        limits_key: their values, for caches.
        memo: a dict in which front-ends keep what they have made in this store, by keys of their own.
    """

    def __cinit__(self, limits=None):
        self.limits = Limits() if limits is None else limits
        self.limits_key = limits_key(self.limits)
        self.memo = {}
        if nodes_init(&self.nodes) < 0:
            raise MemoryError
        self.nodes.max_nodes = min(self.limits.expressions, 0xFFFFFFF0)
        self.nodes.max_words = 16 * <size_t>self.nodes.max_nodes
        self.nodes.max_members = min(self.limits.expression_size, 0xFFFFFFF0)
        self.nodes.max_search = min(self.limits.emptiness_steps, 0xFFFFFFF0)
        allow_visits(&self.nodes, <uint64_t>self.nodes.max_search * VISITS_A_STEP * COMPILE_CALLS)
        pulse_begin(&self.nodes.pulse, self.limits.seconds)
        self.allow_work(min(self.limits.compile_work, 1 << 60))
        # A group adds at most three levels: a repeat, a union in it, and a concatenation in that. 20,000 levels are far
        # below what the C stack of a thread holds.
        self.nodes.max_depth = min(3 * self.limits.nesting + 16, 20000)

    def __dealloc__(self):
        nodes_free(&self.nodes)

    cdef bint checked(self, int status) except -1:
        """Raise what a negative status stands for; else return whether the status is above 0."""
        if status < 0 or pulse(&self.nodes.pulse, 32) < 0:
            raise_kernel(status, &self.nodes.pulse, self.limits)
        return status

    def allow_work(self, int64_t most) -> int:
        """From now on, end calls with a LimitError after some work, in units of some 10 to 25 ns; 0 allows any.

        Returns:
            How much work was still allowed before; 0 if any.
        """
        cdef Pulse* p = &self.nodes.pulse
        cdef int64_t left = max(<int64_t>(p.done_most - p.done), 1) if p.done_most else 0
        allow_work(p, most, LIMIT_COMPILE_WORK)
        return left

    def count_work(self, int work):
        """Count work of the caller, in units of some 10 to 25 ns, so that it is interrupted as the work of the store is.

        Raises:
            LimitError: the call takes too long.
        """
        cdef int status = pulse(&self.nodes.pulse, work)
        if status < 0:
            raise_kernel(status, &self.nodes.pulse, self.limits)

    cdef uint32_t valid(self, object e) except? 0:
        """`e` as an id; ValueError if it is no id of this store."""
        # (an int that does not fit is clipped)
        cdef Py_ssize_t i = PyNumber_AsSsize_t(e, NULL)
        if not 0 <= i < <Py_ssize_t>intern_count(&self.nodes.tuples):
            raise ValueError(f"no expression {e} in this store")
        return <uint32_t>i

    def __len__(self) -> int:
        return intern_count(&self.nodes.tuples)

    def start_from(self, ExprStore other not None):
        """Take over the expressions and the memo of another store, ids and all.

        This store must be new, and the other one must not change meanwhile.

        Raises:
            ValueError: the other store is this one.
        """
        if other is self:
            raise ValueError("a store cannot start from itself")
        if nodes_copy(&self.nodes, &other.nodes) < 0:
            raise MemoryError
        self.memo = other.memo.copy()

    def byte_set(self, bytes members not None) -> int:
        """One byte, any of `members`."""
        cdef uint32_t bits[8]
        cdef const uint8_t* values = members
        cdef uint32_t out
        cdef Py_ssize_t i
        for i in range(8):
            bits[i] = 0
        for i in range(len(members)):
            bit_set(bits, values[i])
        self.checked(make_set(&self.nodes, bits, &out))
        return out

    def literal(self, bytes text not None) -> int:
        """Exactly these bytes."""
        return self.slice_of(text, 0, len(text))

    cdef uint32_t slice_of(self, bytes text, Py_ssize_t start, Py_ssize_t end) except? 0:
        cdef uint32_t out
        if start >= end:
            return nd.EMPTY
        # (the nodes do not know equal literals by themselves)
        if end - start < len(text):
            text = text[start:end]
        found = self.memo.get(text)
        if found is not None:
            return found
        self.checked(make_literal(&self.nodes, text, <uint32_t>len(text), &out))
        self.memo[text] = out
        return out

    def concat(self, parts) -> int:
        """The parts, one after another."""
        cdef list given = parts if type(parts) is list else list(parts)
        cdef uint32_t out = nd.EMPTY
        cdef Py_ssize_t i
        for i in range(len(given) - 1, -1, -1):
            self.checked(make_concat(&self.nodes, self.valid(given[i]), out, &out))
        return out

    cdef size_t collect(self, members) except? 0:
        """Put a free word and then the members on the stack of `nodes`. Returns the place of the free word."""
        # (members that are still to be made may need the stack themselves)
        cdef list given = members if type(members) is list else list(members)
        cdef size_t base = self.nodes.stack.len
        try:
            if vec_push(&self.nodes.stack, 0) < 0:
                raise MemoryError
            for e in given:
                if vec_push(&self.nodes.stack, self.valid(e)) < 0:
                    raise MemoryError
        except BaseException:
            self.nodes.stack.len = base
            raise
        return base

    def union(self, members) -> int:
        """What any member matches; without members, nothing."""
        return self.union_of(members)

    cdef uint32_t union_of(self, members) except? 0:
        cdef uint32_t out
        self.checked(make_union(&self.nodes, self.collect(members), &out))
        return out

    def intersect(self, members) -> int:
        """What all members match; without members, every byte string."""
        cdef uint32_t out
        self.checked(make_intersection(&self.nodes, self.collect(members), &out))
        return out

    def complement(self, e) -> int:
        """Every byte string that `e` does not match."""
        cdef uint32_t out
        self.checked(make_complement(&self.nodes, self.valid(e), &out))
        return out

    def repeat(self, e, lo, hi) -> int:
        """`e` repeated lo to hi times; hi None: without an upper bound.

        Raises:
            GrammarError: the bounds are out of order or out of range.
        """
        cdef uint32_t out
        if not 0 <= lo <= MAX_REPEAT or (hi is not None and not lo <= hi <= MAX_REPEAT):
            raise GrammarError(f"bad repeat bounds {lo}, {hi}")
        self.checked(make_repeat(&self.nodes, self.valid(e), lo, nd.NO_BOUND if hi is None else <uint32_t>hi, &out))
        return out

    cdef uint64_t carried(self, object divisor, object carry, object places) except? 0:
        if not 0 < divisor <= MAX_DIVISOR or not 0 <= carry < divisor or not 0 <= places <= MAX_PLACES:
            raise GrammarError(f"bad multiples of {divisor}, {carry} carried, {places} places")
        return carry

    def multiples(self, divisor, carry, lo, hi, places) -> int:
        """lo to hi digits, then optionally a point and more digits. Together with the carry they make a multiple of the divisor.

        Let n be the number of digits before the point, and t the value of the text in units of 10 ** -places. Then
        t + carry * 10 ** (n - lo) is a multiple of the divisor.

        Args:
            divisor: above 0, at most MAX_DIVISOR.
            carry: the remainder of the digits that stand before the text (multiples.pxd); below the divisor.
            lo, hi: how many digits before the point; hi None: no upper bound.
            places: after the point, only zeros may follow the first `places` digits; None: no point, and the unit is 1.

        Raises:
            GrammarError: an argument is out of range.
        """
        cdef uint32_t out
        cdef uint64_t start = self.carried(divisor, carry, places or 0)
        if not 0 <= lo <= MAX_REPEAT or (hi is not None and not lo <= hi <= MAX_REPEAT):
            raise GrammarError(f"bad bounds {lo}, {hi} of digits")
        self.checked(make_multiples(
            &self.nodes, divisor, start, lo, nd.NO_BOUND if hi is None else <uint32_t>(hi - lo),
            NO_POINT if places is None else <uint32_t>places, &out))
        return out

    def multiples_part(self, divisor, carry, places) -> int:
        """Digits after a point, or none. Their value in units of 10 ** -places, plus the carry, is a multiple of the divisor.

        Arguments and errors are those of `multiples`.
        """
        cdef uint32_t out
        cdef uint64_t start = self.carried(divisor, carry, places)
        self.checked(make_part(&self.nodes, divisor, start, places, &out))
        return out

    def literals(self, texts) -> int:
        """Any of these byte strings, as a trie: a derivative looks at the branches of one node, not at all strings."""
        cdef list items = []
        # Each open node of the trie on the way to the current string: its depth, and the expressions of its finished branches.
        cdef list branches = [[]]
        cdef Vec depths
        self.checked(sort_texts(&self.nodes, list(texts), items))
        vec_init(&depths)
        try:
            add_branches(self, items, &depths, branches)
        finally:
            vec_free(&depths)
        return self.union_of(branches[0])

    def is_nullable(self, e) -> bool:
        """Whether `e` matches the empty string."""
        return bool(nullable(&self.nodes, self.valid(e)))

    def is_nothing(self, e) -> bool:
        """Whether `e` matches nothing; exact.

        Raises:
            LimitError: the search reached a bound, such as `emptiness_steps`, before it had an answer.
        """
        return not self.checked(matches_something(&self.nodes, self.valid(e)))

    def derivative(self, e, byte) -> int:
        """What may follow `byte` in a text that `e` matches."""
        cdef uint32_t out
        if not 0 <= byte < 256:
            raise ValueError("a byte is 0..255")
        self.checked(derivative(&self.nodes, self.valid(e), byte, &out))
        return out

    def matches(self, e, text: bytes) -> bool:
        """Whether `e` matches the whole of `text`."""
        for byte in text:
            e = self.derivative(e, byte)
        return self.is_nullable(e)

    def relaxed(self, e) -> int:
        """A simpler expression that `e` resembles (approximate.pxd). It matches all that `e` matches."""
        cdef uint32_t out
        self.checked(relaxed(&self.nodes, self.valid(e), &out))
        return out

    def min_distinguishing_length(self, a, b) -> int:
        """A length in bytes: shorter texts do not tell `a` from `b`. Both must match something (approximate.pxd)."""
        return min_distinguishing_length(&self.nodes, self.valid(a), self.valid(b))

    def node(self, e) -> tuple:
        """The node of an expression: its kind, then the ids of its parts, its bytes or its numbers."""
        cdef const uint32_t* words = node(&self.nodes, self.valid(e))
        cdef uint32_t kind = words[0]
        cdef uint32_t i
        if kind == nd.K_NOTHING:
            return ("nothing",)
        if kind == nd.K_EMPTY:
            return ("empty",)
        if kind == nd.K_ANY:
            return ("any",)
        if kind == nd.K_SET:
            return ("set", bytes([i for i in range(256) if bit_test(words + 1, i)]))
        if kind == nd.K_LIT:
            return ("literal", self.nodes.text[words[1]:words[1] + words[2]])
        if kind == nd.K_CAT:
            return ("concat", words[1], words[2])
        if kind == nd.K_NOT:
            return ("complement", words[1])
        if kind == nd.K_REP:
            return ("repeat", words[1], words[2], None if words[3] == nd.NO_BOUND else words[3])
        if kind == nd.K_MULT:
            return ("multiples", two_words(words + 4), two_words(words + 6), words[1],
                    None if words[2] == nd.NO_BOUND else words[1] + <uint64_t>words[2],
                    None if words[3] == NO_POINT else words[3])
        if kind == nd.K_PART:
            return ("part", two_words(words + 2), two_words(words + 4), words[1])
        return (("union" if kind == nd.K_OR else "intersect"),
                *[words[i] for i in range(1, node_len(&self.nodes, e))])

    def describe(self, e, depth=12) -> str:
        """A readable form of an expression, cut off at `depth` levels."""
        kind, *parts = self.node(e)
        if depth == 0:
            return "..."
        if kind in ("set", "literal"):
            text = ascii(bytes(parts[0]).decode("latin-1"))[1:-1]
            return f"[{text}]" if kind == "set" and len(parts[0]) > 1 else text
        if kind == "repeat":
            lo, hi = parts[1], parts[2]
            return f"({self.describe(parts[0], depth - 1)}){{{lo},{'' if hi is None else hi}}}"
        if kind == "complement":
            return f"~({self.describe(parts[0], depth - 1)})"
        if kind in ("multiples", "part"):
            return f"<{kind} {', '.join(map(str, parts))}>"
        inner = [self.describe(part, depth - 1) for part in parts]
        if kind == "concat":
            return "".join(inner)
        if kind in ("union", "intersect"):
            return "(" + ("|" if kind == "union" else "&").join(inner) + ")"
        return {"nothing": "<nothing>", "empty": "<empty>", "any": "<any>"}[kind]


cdef Py_ssize_t common_prefix(bytes a, bytes b):
    """How many bytes two strings have in common at their start."""
    cdef const uint8_t* x = a
    cdef const uint8_t* y = b
    cdef Py_ssize_t n = min(len(a), len(b))
    cdef Py_ssize_t i = 0
    while i < n and x[i] == y[i]:
        i += 1
    return i


cdef int open_branch(uint32_t depth, Vec* depths, list branches) except -1:
    """Open a node of the trie."""
    if vec_push(depths, depth) < 0:
        raise MemoryError
    branches.append([])
    return 0


cdef int add_branches(ExprStore store, list items, Vec* depths, list branches) except -1:
    """Fill `depths` and `branches`, which are as in `literals`, with the trie of sorted texts."""
    cdef uint32_t previous = 0
    cdef uint32_t shared, depth, head, tail
    cdef Py_ssize_t i
    cdef bytes text
    if vec_push(depths, 0) < 0:
        raise MemoryError
    for i in range(len(items)):
        store.checked(OK)
        text = items[i]
        shared = common_prefix(text, items[i + 1]) if i + 1 < len(items) else 0
        depth = max(previous, shared)
        if depths.data[depths.len - 1] < depth:
            open_branch(depth, depths, branches)
        (<list>branches[-1]).append(store.slice_of(text, depth, len(text)))
        while depths.data[depths.len - 1] > shared:
            depths.len -= 1
            depth = depths.data[depths.len]
            members = branches.pop()
            if depths.data[depths.len - 1] < shared:
                open_branch(shared, depths, branches)
            head, tail = store.slice_of(text, depths.data[depths.len - 1], depth), store.union_of(members)
            store.checked(make_concat(&store.nodes, head, tail, &tail))
            (<list>branches[-1]).append(tail)
        previous = shared
    return 0
