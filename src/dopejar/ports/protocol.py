"""`Protocol` for the ports: a structural type for the type checker, and a plain class for a process.

Takes: nothing. Gives: a base class. Never: anything at run time; there nobody asks whether a value has a port's form,
and the eighteen protocols of the store took a short process 11 ms to make.
"""

from typing import TYPE_CHECKING

__all__ = ["Protocol"]

if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object
