"""Runs the program of the first argument with a clock that is moved by MOVED_CLOCK_MINUTES."""

import os
import runpy
import sys
import time

real_time = time.time
moved = float(os.environ["MOVED_CLOCK_MINUTES"]) * 60
time.time = lambda: real_time() + moved
runpy.run_path(sys.argv[1], run_name="__main__")
