"""Answers of the bank's people: confirmations, opinions on waivers, and letters that only a manager has."""

from worktrial.workplaces.people import Message, Person, Response

from .state import Document, State


def decide(state: State, person: Person, message: Message) -> Response | None:
    """An answer by who was asked about what; None leaves it to the usual one."""
    if message.kind not in ("request", "ask", "remind", "escalate"):
        return None
    if person.id == "funding":
        return _funding(state, message)
    if message.about in state.guarantees and person.id == _manager(state, message.about):
        return _letter(state, person, message.about)
    opinion = state.answers.get(message.about, {}).get(person.id)
    if opinion is None:
        return None
    if opinion:
        return Response(kind="approve", text=f"{message.about}: I agree, go ahead.")
    return Response(kind="refuse", text=f"{message.about}: no. I do not agree to that.")


def _funding(state: State, message: Message) -> Response | None:
    request = state.requests.get(message.about)
    if request is None or request.amount is None:
        return None
    named = message.fields.get("amount")
    if not isinstance(named, int | float | str) or abs(_number(named) - request.amount / 100) > 0.005:
        return Response(
            kind="ask", text=f"{message.about}: how much is it? Name the amount of the request in fields."
        )
    return Response(kind="approve", text=f"{message.about}: the money is there.", fields={"amount": named})


def _number(value: float | str) -> float:
    try:
        return float(str(value).replace(",", ""))
    except ValueError:
        return -1.0


def _manager(state: State, guarantee: str) -> str:
    return state.customers[state.facilities[state.guarantees[guarantee].facility].customer].manager


def _letter(state: State, person: Person, guarantee: str) -> Response:
    until = state.extended.get(guarantee)
    if until is None:
        return Response(kind="tell", text=f"{guarantee}: nothing has come from the guarantor. I called them, too.")
    letter = next((d for d in state.documents if d.kind == "extension" and d.about == guarantee), None)
    if letter is None:
        held = state.guarantees[guarantee]
        today = f"{state.time.begins.date()}"
        id = f"D-{7001 + len(state.documents)}"
        letter = Document(
            id=id,
            kind="extension",
            about=guarantee,
            signed_by=held.guarantor,
            dated=today,
            figures={"until": until},
        )
        state.documents.append(letter)
    return Response(kind="tell", text=f"{guarantee}: the letter came this morning; I have filed it as {letter.id}.")
