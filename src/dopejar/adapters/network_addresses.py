"""Validation of the network addresses that the program may contact.

Takes: an address from the settings. Gives: the address, or an error that says what is wrong. Never: resolves a name.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from dopejar.errors import SettingError


def require_safe_address(address: str, what: str) -> str:
    """The address without a trailing slash, if it is https, or http to this machine.

    Plain http to another machine would expose texts and keys on the network. Raises SettingError; the message names
    `what` and shows no more of the address than scheme and host.
    """
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port  # raises where it is not a number
    except ValueError as error:
        raise SettingError(f"The address of {what} cannot be read. Write it like https://host/path.") from error
    if parts.username is not None or parts.password is not None:
        raise SettingError(
            f"The address of {what} contains a user name or password. Remove it; keys have a setting of their own."
        )
    if parts.query or parts.fragment:
        raise SettingError(f"The address of {what} has a query or a fragment. End it with its path.")
    if not host or parts.scheme not in ("http", "https"):
        raise SettingError(f"The address of {what} needs https:// and a host (or http:// on this machine).")
    if parts.scheme == "http" and not is_loopback(host):
        raise SettingError(
            f"{what} at http://{host} would be contacted without encryption. Use https, or a server on this machine."
        )
    return address.rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine: `localhost`, 127.0.0.0/8 or ::1. No name is resolved."""
    if host.casefold().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
