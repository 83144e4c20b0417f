"""`python -m cli` in a checkout, `python -m ffgrammar_cli` where it is installed: the same as `ffgrammar`."""

from .main import main

main()
