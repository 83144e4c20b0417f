"""Arithmetic modulo the divisor, and the constructors and derivatives that are made of it."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.bits cimport bit_set
from ffgrammar.core.status cimport NO_MEMORY
from ffgrammar.core.vec cimport vec_push
from ffgrammar.regex.expr.members cimport make_intersection
from ffgrammar.regex.expr.nodes cimport (
    ALIVE, EMPTY, FAR, K_AND, K_MULT, K_NOT, K_PART, NO_BOUND, NOTHING, NULLABLE, Nodes, add_node, make_complement,
    make_repeat, make_set, node, node_kind, node_len, nullable,
)

cdef extern from *:
    """
    typedef unsigned __int128 ff_u128;
    static const uint64_t ff_power_of_ten[20] = {
        1ULL, 10ULL, 100ULL, 1000ULL, 10000ULL, 100000ULL, 1000000ULL, 10000000ULL, 100000000ULL, 1000000000ULL,
        10000000000ULL, 100000000000ULL, 1000000000000ULL, 10000000000000ULL, 100000000000000ULL,
        1000000000000000ULL, 10000000000000000ULL, 100000000000000000ULL, 1000000000000000000ULL,
        10000000000000000000ULL
    };
    """
    ctypedef unsigned long long ff_u128
    const uint64_t ff_power_of_ten[20]

cdef enum:
    ZERO = 48
    POINT = 46
    # This many digits can spell every remainder: 10 ** 19 is above every divisor.
    ENOUGH = 19


cdef inline uint64_t times(uint64_t a, uint64_t b, uint64_t divisor) noexcept nogil:
    # (a quotient of 128 bits takes three times as long)
    return a * b % divisor if (a | b) >> 32 == 0 else <uint64_t>(<ff_u128>a * b % divisor)


cdef uint64_t power(uint64_t exponent, uint64_t divisor) noexcept nogil:
    """10 ** exponent modulo the divisor, by squaring."""
    cdef uint64_t out, square
    if exponent <= ENOUGH:
        return ff_power_of_ten[exponent] % divisor
    out = 1 % divisor
    square = 10 % divisor
    while exponent:
        if exponent & 1:
            out = times(out, square, divisor)
        square = times(square, square, divisor)
        exponent >>= 1
    return out


cdef inline uint64_t missing(uint64_t divisor, uint64_t carry) noexcept nogil:
    """The least number whose sum with the carry is a multiple."""
    return divisor - carry if carry else 0


cdef inline bint within(uint64_t value, uint64_t digits) noexcept nogil:
    """Whether `digits` digits can spell the value."""
    return digits >= ENOUGH or value < ff_power_of_ten[digits]


cdef bint least_factor(uint64_t a, uint64_t wanted, uint64_t divisor, uint64_t* out) noexcept nogil:
    """Write to `out` the least x >= 0 for which a * x leaves the remainder `wanted`; False if there is none.

    The extended Euclidean algorithm."""
    cdef uint64_t old = divisor
    cdef uint64_t new = a % divisor
    # old_factor * a leaves the remainder `old`, new_factor * a the remainder `new`.
    cdef uint64_t old_factor = 0
    cdef uint64_t new_factor = 1 % divisor
    cdef uint64_t quotient, swap
    while new:
        quotient = old / new
        swap = old - quotient * new
        old = new
        new = swap
        swap = (old_factor + divisor - times(quotient % divisor, new_factor, divisor)) % divisor
        old_factor = new_factor
        new_factor = swap
    if wanted % old:
        return False
    out[0] = times(wanted / old, old_factor, divisor) % (divisor / old)
    return True


cdef uint32_t shortest_part(uint64_t divisor, uint64_t carry, uint64_t whole, uint32_t places) noexcept nogil:
    """The least number of digits after the point with which a text can make a multiple, if `whole` digits stand before the point.

    The result is only a lower bound if more than ENOUGH digits are needed, or if there is no multiple.
    """
    cdef uint64_t wanted = missing(divisor, carry)
    cdef uint64_t least = wanted
    cdef uint32_t digits = min(places, <uint32_t>ENOUGH)
    # How often the divisor is added to a number that ends in 1 until the sum ends in 0: 9, 3, 7, 1 times for divisors that
    # end in 1, 3, 7, 9.
    cdef uint64_t ends = 10 - divisor % 10 if divisor % 10 in (1, 9) else divisor % 10
    if digits < places and not least_factor(power(places - digits, divisor), wanted, divisor, &least):
        return digits
    if not within(least, whole + digits):
        return digits
    # Zeros may follow, so more digits can make whatever fewer digits can. So digits are taken away as long as the rest can
    # make a multiple.
    if divisor & 1 == 0 or divisor % 5 == 0:
        while (digits and least_factor(power(places - digits + 1, divisor), wanted, divisor, &least)
               and within(least, whole + digits - 1)):
            digits -= 1
        return digits
    while digits:
        # The least number that makes a multiple with one digit less: add the divisor until the last digit is 0, and drop
        # that digit.
        least = <uint64_t>((least + <ff_u128>divisor * (least % 10 * ends % 10)) / 10)
        if not within(least, whole + digits - 1):
            break
        digits -= 1
    return digits


cdef uint32_t shortest_multiple(uint64_t divisor, uint64_t carry, uint32_t lo, uint32_t span, uint32_t places) noexcept nogil:
    cdef uint64_t best = FAR
    cdef uint64_t length = lo
    cdef uint64_t after
    if places == NO_POINT or places == 0:
        return lo if lo < FAR else FAR
    # One digit more before the point may replace several after it.
    while length < best and (span == NO_BOUND or length - lo <= span):
        after = shortest_part(divisor, carry, length, places)
        if after:
            # The point itself.
            after += 1
        if length + after < best:
            best = length + after
        carry = times(carry, 10, divisor)
        length += 1
    return <uint32_t>best


cdef int make_zeros(Nodes* n, uint32_t lo, uint32_t* out) noexcept nogil:
    cdef uint32_t bits[8]
    cdef uint32_t zero
    cdef int i, status
    for i in range(8):
        bits[i] = 0
    bit_set(bits, ZERO)
    status = make_set(n, bits, &zero)
    return status if status < 0 else make_repeat(n, zero, lo, NO_BOUND, out)


cdef int make_multiples(
    Nodes* n, uint64_t divisor, uint64_t carry, uint32_t lo, uint32_t span, uint32_t places, uint32_t* out,
) noexcept nogil:
    cdef uint32_t words[MULT_LEN]
    cdef uint32_t flags = ALIVE
    while not within(missing(divisor, carry), lo + <uint64_t>(0 if places == NO_POINT else places)):
        # No text with `lo` digits before the point makes a multiple, so one digit more is needed.
        if span == 0:
            out[0] = NOTHING
            return 0
        carry = times(carry, 10, divisor)
        lo += 1
        if span != NO_BOUND:
            span -= 1
    if lo == 0 and carry == 0:
        flags |= NULLABLE
    words[0] = K_MULT
    words[1] = lo
    words[2] = span
    words[3] = places
    words[4] = <uint32_t>divisor
    words[5] = <uint32_t>(divisor >> 32)
    words[6] = <uint32_t>carry
    words[7] = <uint32_t>(carry >> 32)
    return add_node(
        n, words, MULT_LEN, flags, 0, shortest_multiple(divisor, carry, lo, span, places), out)


cdef int make_part(Nodes* n, uint64_t divisor, uint64_t carry, uint32_t places, uint32_t* out) noexcept nogil:
    cdef uint32_t words[PART_LEN]
    if not within(missing(divisor, carry), places):
        out[0] = NOTHING
        return 0
    if places == 0 or (carry == 0 and not within(divisor, places)):
        # Zero is the only multiple within reach.
        return make_zeros(n, 0, out)
    words[0] = K_PART
    words[1] = places
    words[2] = <uint32_t>divisor
    words[3] = <uint32_t>(divisor >> 32)
    words[4] = <uint32_t>carry
    words[5] = <uint32_t>(carry >> 32)
    return add_node(
        n, words, PART_LEN, ALIVE if carry else ALIVE | NULLABLE, 0, shortest_part(divisor, carry, 0, places), out)


cdef int after_point(Nodes* n, uint64_t divisor, uint64_t carry, uint32_t places, uint32_t* out) noexcept nogil:
    """The expression of what follows a point: the non-empty texts of a PART."""
    cdef uint32_t part, some
    cdef size_t base = n.stack.len
    cdef int status = make_part(n, divisor, carry, places, &part)
    if status < 0:
        return status
    if not nullable(n, part):
        out[0] = part
        return 0
    if node_kind(n, part) != K_PART:
        return make_zeros(n, 1, out)
    status = make_complement(n, EMPTY, &some)
    if status < 0:
        return status
    if vec_push(&n.stack, K_AND) < 0 or vec_push(&n.stack, part) < 0 or vec_push(&n.stack, some) < 0:
        n.stack.len = base
        return NO_MEMORY
    return make_intersection(n, base, out)


cdef int multiples_derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    cdef bint is_part = words[0] == K_PART
    cdef uint64_t divisor = two_words(words + (2 if is_part else 4))
    cdef uint64_t carry = two_words(words + (4 if is_part else 6))
    cdef uint32_t places = words[1] if is_part else words[3]
    cdef uint32_t lo = 0 if is_part else words[1]
    cdef uint32_t span = 0 if is_part else words[2]
    cdef uint32_t digit = byte - ZERO
    cdef uint64_t after = 0 if places == NO_POINT else places
    out[0] = NOTHING
    if digit > 9:
        if byte == POINT and not is_part and lo == 0 and places != NO_POINT:
            return after_point(n, divisor, carry, places, out)
        return 0
    if is_part:
        carry = (carry + times(digit, power(after - 1, divisor), divisor)) % divisor
        return make_part(n, divisor, carry, places - 1, out)
    if lo:
        carry = (carry + times(digit, power(lo - 1 + after, divisor), divisor)) % divisor
        return make_multiples(n, divisor, carry, lo - 1, span, places, out)
    if span == 0:
        return 0
    carry = (times(carry, 10, divisor) + times(digit, power(after, divisor), divisor)) % divisor
    return make_multiples(n, divisor, carry, 0, span if span == NO_BOUND else span - 1, places, out)


cdef void multiples_class(const Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil:
    cdef int i
    # The digits and the point lie in one word of `bits`.
    if byte == POINT or byte - <uint32_t>ZERO <= 9:
        for i in range(8):
            bits[i] &= (<uint32_t>1 << (byte & 31)) if i == <int>(byte >> 5) else 0
    else:
        bits[ZERO >> 5] &= ~(<uint32_t>0x3FF << (ZERO & 31) | <uint32_t>1 << (POINT & 31))


cdef uint64_t common_divisor(uint64_t a, uint64_t b) noexcept nogil:
    cdef uint64_t rest
    while b:
        rest = a % b
        a = b
        b = rest
    return a


cdef inline const uint32_t* endless(const Nodes* n, uint32_t e) noexcept nogil:
    """The words of a MULT without an upper bound of digits, or of the complement of one; NULL for other nodes."""
    cdef const uint32_t* words = node(n, node(n, e)[1] if node_kind(n, e) == K_NOT else e)
    return words if words[0] == K_MULT and words[2] == NO_BOUND else NULL


cdef bint agree(const uint32_t* one, const uint32_t* other, uint64_t common) noexcept nogil:
    """Whether the same digits make multiples of both, if more of them follow. `common` is the common divisor of the two."""
    if common == 1:
        return True
    return (one[3] == other[3] == <uint32_t>NO_POINT and one[1] == other[1]
            and two_words(one + 6) % common == two_words(other + 6) % common)


cdef bint have_common_divisors(Nodes* n, const uint32_t* members, uint32_t count) noexcept nogil:
    """Whether two members of an intersection have divisors with a common divisor. One of the two has it with the product of the
    divisors of all members before it. (To look at each pair takes five times as long: the first mask of exactly one of 50
    primes takes 0.65 s, and 3.3 s so.)"""
    cdef uint64_t divisor, product
    cdef uint32_t i, j
    for i in range(2, count):
        divisor = two_words(endless(n, members[i]) + 4)
        product = 1
        for j in range(1, i):
            product = times(product, two_words(endless(n, members[j]) + 4) % divisor, divisor)
        # (a quotient of small numbers takes some 2 ns, one of 128 bits ten times as long)
        n.pulse.left -= 6 + (i >> 2) if divisor >> 32 == 0 else 40 + 4 * i
        if common_divisor(divisor, product) > 1:
            return True
    return False


cdef uint64_t made_multiple_of(Nodes* n, const uint32_t* members, uint32_t count, uint32_t i) noexcept nogil:
    """What the members of an intersection that are asked for make a number a multiple of, as far as the divisor of the member at
    `i` goes. 0 if some member does not `agree` with this one."""
    cdef const uint32_t* one = endless(n, members[i])
    cdef const uint32_t* other
    cdef uint64_t common
    cdef uint64_t joint = 1
    cdef uint32_t j
    n.pulse.left -= 10 * count
    for j in range(1, count):
        if j == i:
            continue
        other = endless(n, members[j])
        common = common_divisor(two_words(one + 4), two_words(other + 4))
        if not agree(one, other, common):
            return 0
        if node_kind(n, members[j]) != K_NOT:
            joint = joint / common_divisor(joint, common) * common
    return joint


cdef bint multiples_meet(Nodes* n, uint32_t e) noexcept nogil:
    # With enough digits, a number has any remainders for divisors without a common divisor (the Chinese remainder theorem).
    # Otherwise there is a number that is a multiple of all divisors, because they `agree`. Beside it there is another one that is
    # a multiple of those asked for only, unless these make it a multiple of one ruled out. `joint` is what they make it a
    # multiple of.
    cdef const uint32_t* members = node(n, e)
    cdef uint32_t count = node_len(n, e)
    cdef const uint32_t* one
    cdef uint64_t divisor, joint
    cdef uint32_t i
    cdef bint are_apart
    for i in range(1, count):
        if endless(n, members[i]) == NULL:
            return False
    are_apart = not have_common_divisors(n, members, count)
    for i in range(1, count):
        one = endless(n, members[i])
        divisor = two_words(one + 4)
        joint = 1 if are_apart else made_multiple_of(n, members, count, i)
        if joint == 0:
            return False
        if node_kind(n, members[i]) == K_NOT:
            if times(joint, power(0 if one[3] == <uint32_t>NO_POINT else one[3], divisor), divisor) == 0:
                return False
    return True
