"""What is beside `ffgrammar bench` and uses more than public names. Run with `python tests/bench NAME`.

- batch: how much quicker several threads fill a batch than one.
- canonical: canonical masks beside plain ones, along documents.
- coverings: prefixes that end inside a word against the plain method.
- encoder: much text against tiktoken, and how quick both are.
- forced: forced tokens against the published method.
- masks: all masks along documents against brute force.
- large: large schemas, generated.
- soak: whether memory grows, over millions of tokens.
"""

import importlib
import importlib.util
import sys

# The package of the command line: in a checkout that is built in place it is the folder cli/.
CLI = "ffgrammar_cli" if importlib.util.find_spec("ffgrammar_cli") else "cli"
if CLI == "cli":
    sys.modules["ffgrammar_cli"] = importlib.import_module(CLI)
