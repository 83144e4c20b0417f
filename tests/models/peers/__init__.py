"""The same tasks with other packages. Each module has a user's program: `generate` writes a text under a schema.

Its lines count, so it has no more than the package asks for. `processor` is the logits processor alone, for a batch of
rows with one schema; a package without one has none.
"""
