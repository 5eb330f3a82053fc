"""Things that happen at the desk whoever works: tickets come in, changes are withdrawn, restores are done."""

import msgspec

from worktrial.language import JsonObject

from .state import State, Ticket


def ticket(state: State, payload: JsonObject) -> None:
    """A ticket is opened."""
    opened = msgspec.convert(payload | {"opened": state.time.now}, Ticket)
    state.tickets[opened.id] = opened


def withdrawn(state: State, payload: JsonObject) -> None:
    """A change is withdrawn, unless it was carried out."""
    change = state.changes[payload["change"]]
    if change.status == "approved":
        change.status = "withdrawn"


def restored(state: State, payload: JsonObject) -> None:
    """The backup operator has read a snapshot out, and says so."""
    restore = next(r for r in state.restores if r.ticket == payload["ticket"])
    restore.done_at = state.time.minute
    state.mail.deliver(
        state.time.minute,
        "backup",
        "tell",
        restore.ticket,
        f"Restore for {restore.ticket}",
        f"{restore.snapshot} is read out, the files are back.",
    )


def freed(state: State, payload: JsonObject) -> None:
    """The vendor has freed a licence."""
    del state.pools[payload["product"]].holders[payload["employee"]]


HAPPENINGS = {"ticket": ticket, "withdrawn": withdrawn, "restored": restored, "freed": freed}
