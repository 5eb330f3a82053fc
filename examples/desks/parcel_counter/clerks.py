"""Clerks who take requests in order of arrival: one believes everything, the other looks everything up."""

from worktrial.suites.shifts.cases import Move, Work

from .state import State

_DOES = {"Redelivery": "book_redelivery", "Picking up": "hand_over", "Old parcel": "return_to_sender"}


def greedy(state: State) -> Work:
    """Does what the message says."""
    return _in_order(state, looks=False)


def careful(state: State) -> Work:
    """Looks into the record first; knows the sections, but no circular and no order of priority."""
    return _in_order(state, looks=True)


def _in_order(state: State, *, looks: bool) -> Work:
    done: set[str] = set()
    ends = state.time.clock(state.time.ends)
    while True:
        seen = yield Move("check_inbox", {"unread_only": True})
        for row in reversed(seen["messages"]):
            message = yield Move("read_message", {"message_id": row["id"]})
            if message["about"] in done or message["subject"] not in _DOES:
                continue
            done.add(message["about"])
            yield from _settle(state, message, looks)
        waited = yield Move("wait_for_message", {"until": ends})
        if "note" in waited:  # the shift is over
            return "Done."


def _settle(state: State, message: dict, looks: bool) -> Work:
    parcel, sender = message["about"], message["from"]
    arguments = {"parcel_id": parcel}
    wrong, why = False, {}
    if looks:
        record = yield Move("get_parcel", arguments)
        name = state.people[sender].name
        wrong = message["subject"] == "Picking up" and record["card_signed_for"] != name
        why = {"card": "another" if record["card_signed_for"] else "none"}
    if not wrong:
        more = {"Redelivery": {"round_id": "R-1"}, "Picking up": {"to": state.people[sender].name}}
        seen = yield Move(_DOES[message["subject"]], arguments | more.get(message["subject"], {}))
        if looks and "error" in seen:
            return ""
        wrong = "error" in seen
    kind = "refuse" if wrong else "approve"
    text = "No." if wrong else "Done."
    yield Move("send_message", {"to": sender, "kind": kind, "about": parcel, "text": text, "fields": why})
    return ""
