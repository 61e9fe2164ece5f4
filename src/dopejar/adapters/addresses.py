"""Which addresses the program may talk to.

Takes: an address from the settings. Gives: it back, or an error that says what is wrong. Never: looks a name up.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from dopejar.errors import SettingError


def checked_address(address: str, what: str) -> str:
    """The address without a closing slash, where it is https, or http on this machine itself.

    Plain http to another machine would show texts and keys to everyone between. Raises SettingError; the message names
    `what` and never shows more of the address than scheme and host.
    """
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port  # raises where it is no number
    except ValueError as error:
        raise SettingError(f"The address of {what} cannot be read. Write it like https://host/path.") from error
    if parts.username is not None or parts.password is not None:
        raise SettingError(
            f"The address of {what} holds a user name or password. Take it out; keys have a setting of their own."
        )
    if parts.query or parts.fragment:
        raise SettingError(f"The address of {what} has a part behind ? or #. Write it up to its path.")
    if not host or parts.scheme not in ("http", "https"):
        raise SettingError(f"The address of {what} needs https:// and a host (or http:// on this machine).")
    if parts.scheme == "http" and not is_loopback(host):
        raise SettingError(
            f"{what} at http://{host} would be asked without encryption. Use https, or a server on this machine."
        )
    return address.rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself: `localhost`, 127.0.0.0/8 or ::1. No name is looked up."""
    if host.casefold().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
