"""Progress of long work.

Takes: how far it is. Gives: a bar at a terminal, nothing elsewhere. Never: writes where the answer is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, int, int], None]


@contextmanager
def progress_bar(title: str, *, shown: bool) -> Iterator[Progress]:
    """A function to tell of progress: (what, how many, of how many or 0)."""
    if not shown:
        yield lambda _what, _done, _of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def told(what: str, done: int, of: int) -> None:
            bar.update(task, description=f"{title}: {what}", completed=done, total=of or None)

        yield told
