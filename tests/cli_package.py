"""The package of the command line: `ffgrammar_cli` where ffgrammar is installed, and the folder cli/ in a checkout that
is built in place. Importing this module makes the name `ffgrammar_cli` stand for the one that is there."""

import importlib
import importlib.util
import sys

CLI = "ffgrammar_cli" if importlib.util.find_spec("ffgrammar_cli") else "cli"
if CLI == "cli":
    sys.modules["ffgrammar_cli"] = importlib.import_module(CLI)
