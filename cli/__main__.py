"""`ffgrammar`, `python -m cli` in a checkout, and `python -m ffgrammar_cli` where it is installed."""

import os

try:
    from .main import main
except KeyboardInterrupt:
    # (130 is what a shell expects after Ctrl-C; a traceback of imports would help nobody)
    os._exit(130)

if __name__ == "__main__":
    main()
