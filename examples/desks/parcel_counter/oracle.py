"""What is right on a day, from the handbook's rules, and a plan that does it. Shares no code with the tools."""

from dataclasses import dataclass
from datetime import date

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work

from .state import State


@dataclass(frozen=True)
class Right:
    """The right end of one request."""

    parcel: str
    sender: str
    arrives: int
    status: str
    tell: str
    """Kind of message that the sender of the request is due."""
    why: JsonObject
    """Fields of a refusal (section 1)."""

    @property
    def grants(self) -> bool:
        """Whether what was asked for is to be done."""
        return self.status != "at_counter"

    @property
    def goes_along(self) -> bool:
        """Whether the driver takes the parcel, and so has to know (section 5)."""
        return self.status in ("booked", "returned")


def solve(state: State) -> dict[str, Right]:
    """Reference of each request's parcel to what is right about it."""
    requests = state.expected()
    wanted = [e.payload["about"] for e in requests if e.payload["subject"] == "Redelivery"]
    medical = [parcel for parcel in wanted if state.parcels[parcel].goods == "medical"]
    found = {}
    for event in requests:
        parcel, sender = event.payload["about"], event.payload["sender"]
        why: JsonObject
        record = state.parcels[parcel]
        if parcel in wanted:  # section 2: one place, medical goods first, else in order
            first = (medical or wanted)[0]
            served, why = parcel == first, {"place": first}
            status, tell = ("booked", "approve") if served else ("at_counter", "refuse")
        elif event.payload["subject"] == "Picking up":  # section 3: only whom the signed card names
            entitled = record.authorised == state.people[sender].name
            why = {"card": "another" if record.authorised else "none"}
            status, tell = ("handed_over", "approve") if entitled else ("at_counter", "refuse")
        else:  # section 4 and the circular: the time for which a parcel is kept
            keep = state.figures["shorter_keep"] if state.figures["shorter"] else state.figures["keep"]
            age = (state.time.begins.date() - date.fromisoformat(record.arrived)).days
            why = {"days": age}
            status, tell = ("returned", "tell") if age >= int(str(keep)) else ("at_counter", "refuse")
        found[parcel] = Right(parcel, sender, event.due, status, tell, why if tell == "refuse" else {})
    return found


def plan(state: State) -> Work:
    """Work of a clerk who knows the day beforehand."""
    for right in sorted(solve(state).values(), key=lambda right: right.arrives):
        seen = yield Move("check_inbox")
        while not any(message["about"] == right.parcel for message in seen["messages"]):
            yield Move("wait_for_message", {"until": state.time.clock(state.time.ends)})
            seen = yield Move("check_inbox")
        if right.status == "booked":
            yield Move("book_redelivery", {"parcel_id": right.parcel, "round_id": "R-1"})
        elif right.status == "handed_over":
            yield Move("hand_over", {"parcel_id": right.parcel, "to": state.people[right.sender].name})
        elif right.status == "returned":
            yield Move("return_to_sender", {"parcel_id": right.parcel})
        words = {"to": right.sender, "kind": right.tell, "about": right.parcel, "text": f"It is {right.status}."}
        yield Move("send_message", words | {"fields": right.why})
        if right.goes_along:
            yield Move("send_message", words | {"to": "driver", "kind": "tell"})
    return "All requests of the day are settled and answered."
