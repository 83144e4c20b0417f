"""MaskBench: masks along real JSON documents, engine against engine in one process. Run with `python tests/bench`.

Code map in reading order: data (schemas, documents, tokens), order (keys in schema order), engines (one adapter an
engine), walk (what is measured), report (tables and ratios), masks (the proof against brute force), run.
"""
