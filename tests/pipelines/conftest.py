"""Whole pipelines on real SQLite share their fixture module."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
