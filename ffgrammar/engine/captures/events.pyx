"""What has changed between two lists of captures. Their common beginning and end are skipped first. A capture that does not grow
any more stays the same object, so most comparisons are by identity.
"""

from ffgrammar.engine.captures.capture import CaptureEvent


def changes(list before not None, list now not None):
    """The events that lead from one list of captures to another: those that are withdrawn, the inner ones first; those that are
    opened, the outer ones first; those that are closed, in the order of their ends, the inner ones first.
    """
    cdef Py_ssize_t start = 0
    cdef Py_ssize_t end_before = len(before)
    cdef Py_ssize_t end_now = len(now)
    cdef dict left = {}
    while start < end_before and start < end_now and is_same(before[start], now[start]):
        start += 1
    while end_before > start and end_now > start and is_same(before[end_before - 1], now[end_now - 1]):
        end_before -= 1
        end_now -= 1
    for capture in before[start:end_before]:
        left.setdefault(key_of(capture, capture.end), []).append(capture)
    new = [capture for capture in now[start:end_now] if not take(left, capture, capture.end)]
    # (a capture that has got its end may have been reported as open)
    opened = [capture for capture in new if capture.end is None or not take(left, capture, None)]
    closed = sorted([capture for capture in reversed(new) if capture.end is not None], key=end_of)
    gone = [capture for captures in left.values() for capture in captures]
    return [
        *[CaptureEvent("withdrawn", capture) for capture in reversed(gone)],
        *[CaptureEvent("opened", capture) for capture in opened],
        *[CaptureEvent("closed", capture) for capture in closed],
    ]


cdef bint is_same(object one, object other) except -1:
    """Whether two captures differ in nothing but how far they have grown."""
    return one is other or key_of(one, one.end) == key_of(other, other.end)


cdef tuple key_of(object capture, object end):
    """What two captures with an end have in common if they are equal. Those that grow may differ in their texts."""
    return capture.name, capture.start, end, None if end is None else capture.text


cdef bint take(dict left, object capture, object end) except -1:
    """Take from `left` a capture like another one, but with this end. Returns whether there was one."""
    cdef list captures = left.get(key_of(capture, end))
    if not captures:
        return False
    captures.pop()
    return True


def end_of(capture):
    """The key by which closed captures are sorted."""
    return capture.end
