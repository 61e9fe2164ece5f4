"""What every test shares: a fast disk, and hypothesis without deadlines."""

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

_MEMORY_DISK = Path("/dev/shm")  # noqa: S108  every commit is synced; a disk in memory makes that cheap where there is one

if _MEMORY_DISK.is_dir() and os.access(_MEMORY_DISK, os.W_OK) and "TMPDIR" not in os.environ:
    tempfile.tempdir = str(_MEMORY_DISK)
    os.environ["TMPDIR"] = str(_MEMORY_DISK)

settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")
