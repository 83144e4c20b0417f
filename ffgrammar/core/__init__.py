"""The lowest floor: what every other floor uses, and what knows nothing of grammars, tokens or regexes.

In reading order:

- `errors`: the exceptions that ffgrammar raises on purpose.
- `records`: tuples with names, without what `typing.NamedTuple` costs.
- `arguments`: the check of an argument's type.
- `pointers`: JSON pointers.
- `prefixes`: what two sequences begin with alike.
- `recent`: a dict of the values that were last asked for.
- `path_hint`: a hint in messages about a source that looks like a path.
- `visible`: invisible characters as escapes.
- `limits`: the bounds on what a grammar may cost, in one dataclass.
- `status`: the status codes of kernels, and the exceptions that they become.
- `vec`: growable arrays of 32-bit words.
- `buckets`: the buckets of a hash table that grows by one bucket at a time.
- `intern`: hash-consing of tuples of words.
- `map`: a hash map from 64-bit keys to 32-bit values.
- `owner`: frees all the tables of a struct, and counts their memory.
- `freed_memory`: returns free memory to the system.
- `bits`: sets of small numbers, stored as bits.
- `compare`: comparisons of many words at once.
- `fresh_pages`: fresh memory, whose pages the system gives when they are first used.
- `words_of_bytes`: bytes as numbers of 64 bits.
- `checksum`: a fast checksum that finds damage.
- `whole_file`: reading a file of megabytes in one piece.
- `byte_runs`: how far a run of bytes of one kind goes.
- `short_copy`: copies of texts that are mostly short.
- `prefetch`: a hint that memory is read soon.
- `utf8`: UTF-8 one byte at a time.
- `hexadecimal`: hexadecimal digits.
- `heap`, `sort`: binary heaps, and sorting of words.
- `index`: turns an integer from a caller into a C integer.
- `threads`: locks and counters of native threads.
- `turn`: a Python function at whose call the interpreter lets another thread run.
- `signals`, `pulse`: what a long kernel does now and then: signals, the GIL, a bound on time.
- `thread_pool`: the threads that batches are shared out to.
- `forks`: locks that are free in a child process.
- `gate`: lets at most two threads compile at a time.
- `whole_imports`: imports that Ctrl-C does not cut short.
- `plain_data`: a quick bound on the size of dicts, lists and scalars.
- `put_off`: work that no caller is to wait for.
- `collector`: pausing Python's garbage collector.
"""
