"""`python -m pagecat ARGS…` is the program `pagecat ARGS…`, in the same process."""
import os
import signal
import sys

from . import program

# Python ignores the signal, and what it ignores stays ignored: `python -m pagecat … | head` would end with an error.
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
try:
    path = program()
    os.execv(path, [path, *sys.argv[1:]])
except OSError as error:
    sys.exit(f"pagecat: error: {error}")
