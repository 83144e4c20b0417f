"""`python -m ffgrammar_cli` is `ffgrammar`."""

from .main import main

main()
