"""Types ^C in a terminal in which cupr-run runs a program that would never end.

    interrupt.py CUPR_RUN PROGRAM ARGUMENTS...

The program must end by SIGINT, cupr-run by the same signal, and say so first.
"""

import os
import pty
import signal
import sys
import time
from pathlib import Path

trace = Path("interrupted.cuprtrace")
trace.unlink(missing_ok=True)
child, terminal = pty.fork()
if child == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.argv[1], [sys.argv[1], "-o", str(trace), *sys.argv[2:]])
while not trace.exists() or trace.stat().st_size < 10000:
    time.sleep(0.001)
os.write(terminal, b"\x03")
said = b""
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:  # the last process with that terminal has gone
        break
    if not piece:
        break
    said += piece
status = os.waitpid(child, 0)[1]
assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, status
print(said.decode())
