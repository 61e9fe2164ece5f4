"""The accepted settings as the store keeps them, with a keyed digest.

Takes: a view. Gives: what a reviewer accepted last, and whether that row is as the ledger has it. Never: decides which
value is in force.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from dopejar.errors import SettingError
from dopejar.values.accepted_settings import AcceptedSettings, SettingValue

if TYPE_CHECKING:
    from dopejar.ports.store import ReadView

ROW: Final = "accepted_settings"  # of the store's meta: the values, the hash of the policy, and their digest
POLICY_TEXT: Final = "accepted_policy"  # the text of the accepted policy file
_ALTERED: Final = (
    "The accepted settings in the store were altered by something else than a reviewer: the defaults are in force until"
    " a reviewer accepts the settings again with `dopejar config accept`."
)


def read_accepted(view: ReadView) -> AcceptedSettings:
    """What was accepted last; nothing, with the fault, where the row does not match its digest."""
    row = view.meta(ROW)
    if row is None:
        return AcceptedSettings()
    try:
        loaded = json.loads(row)
        values = {
            str(key): tuple(map(str, value)) if isinstance(value, list) else value
            for key, value in loaded["values"].items()
        }
        policy, digest = str(loaded["policy"]), str(loaded["digest"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return AcceptedSettings(fault=_ALTERED)
    if digest != accepted_digest(bytes.fromhex(view.meta("secret") or ""), values, policy):
        return AcceptedSettings(fault=_ALTERED)
    return AcceptedSettings(values=values, policy=policy)


def read_accepted_policy(view: ReadView, accepted: AcceptedSettings) -> str:
    """The text of the accepted policy file. Raises SettingError where it is not the one that was accepted."""
    text = view.meta(POLICY_TEXT) or ""
    if policy_digest(text) != accepted.policy:
        raise SettingError(
            "The policy in the store is not the one that a reviewer accepted. A reviewer accepts it again with"
            " `dopejar config set policy.file FILE`."
        )
    return text


def accepted_digest(secret: bytes, values: Mapping[str, SettingValue], policy: str) -> str:
    """The keyed digest of accepted values."""
    import hashlib
    import hmac  # only where something was accepted: most stores keep the defaults

    return hmac.new(secret, _canonical(values, policy), hashlib.sha256).hexdigest()


def accepted_row(values: Mapping[str, SettingValue], policy: str, digest: str) -> str:
    """The row as it is kept."""
    return json.dumps({"values": dict(values), "policy": policy, "digest": digest}, sort_keys=True)


def row_digest(view: ReadView) -> str:
    """The digest in the row, "" where there is no readable one."""
    try:
        return str(json.loads(view.meta(ROW) or "{}").get("digest", ""))
    except (ValueError, AttributeError):
        return ""


def policy_digest(text: str) -> str:
    """The SHA-256 (hex) of the text of a policy file; "" for none."""
    import hashlib

    return hashlib.sha256(text.encode("utf-8")).hexdigest() if text else ""


def _canonical(values: Mapping[str, SettingValue], policy: str) -> bytes:
    return json.dumps([sorted(values.items()), policy], ensure_ascii=True).encode("ascii")
