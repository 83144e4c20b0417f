"""`python -m ffgrammar` runs the command line.

The command line is a package of its own on a higher floor, and a file imports nothing from above. So the command is
looked up by its entry point, and not imported by name.
"""

from __future__ import annotations

import sys
from importlib.metadata import entry_points


def main() -> None:
    """Run the installed `ffgrammar` command in this process."""
    for script in entry_points(group="console_scripts", name="ffgrammar"):
        try:
            command = script.load()
        except ModuleNotFoundError:
            # Python may find the metadata of a checkout whose command line is not installed.
            continue
        command()
        return
    print(
        f"ffgrammar: the command line is not installed for {sys.executable}; in a checkout type `make`, and then "
        "`.venv/bin/ffgrammar`",
        file=sys.stderr,
    )
    # Exit code 1 would say that a text or a prefix is rejected.
    sys.exit(2)


if __name__ == "__main__":
    main()
