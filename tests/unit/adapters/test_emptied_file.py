"""An emptied file is told from one that another process is filling."""

from __future__ import annotations

from pathlib import Path

import pytest

from dopejar.adapters.sqlite.database_files import note_made, refuse_emptied
from dopejar.errors import StoreDamagedError


class FilledMeanwhile(type(Path())):
    """A path whose store another process makes right after its size was read."""

    def stat(self, **kwargs):
        """The size as it was."""
        size = super().stat(**kwargs)
        if not size.st_size:
            self.write_bytes(b"x" * 4096)
            note_made(Path(self))
        return size


def test_a_store_that_is_being_made_is_not_a_lost_one(tmp_path):
    """Its file was empty when it was looked at, and its note came after."""
    path = FilledMeanwhile(tmp_path / "dopejar.db")
    path.touch()
    refuse_emptied(path)
    assert Path(path).stat().st_size == 4096


def test_an_emptied_store_is_refused(tmp_path):
    """Its note was there before."""
    path = tmp_path / "dopejar.db"
    path.touch()
    note_made(path)
    with pytest.raises(StoreDamagedError, match="lost its content"):
        refuse_emptied(path)
