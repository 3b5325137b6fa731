"""The tests. Several processes of them run side by side, each one core's worth of work."""

import os

# Read once, by libraries that conftest.py and the tests import: hence here. What the tests start
# inherits it: OMP_THREAD_LIMIT is for tesseract.
for _name in (
    "OMP_NUM_THREADS",
    "OMP_THREAD_LIMIT",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
):
    os.environ[_name] = "1"
