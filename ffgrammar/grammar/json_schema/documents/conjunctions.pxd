"""The C types of conjunctions.py. A conjunction is a tuple of ints."""

# Returns the conjunction of what two conjunctions say.
cpdef tuple join(tuple a, tuple b)

# Returns the conjunction of what several conjunctions say.
cpdef tuple join_all(list conjs)
