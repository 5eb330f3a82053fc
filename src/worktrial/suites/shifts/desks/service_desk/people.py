"""Approvals: whoever is asked about a ticket says what they think of it, whether or not their word counts."""

from worktrial.workplaces.people import Message, Person, Response

from .state import State


def decide(state: State, person: Person, message: Message) -> Response | None:
    """An approval or a refusal, where a person has an opinion on the ticket."""
    opinion = state.answers.get(message.about, {}).get(person.id)
    if opinion is None or message.kind not in ("request", "ask", "remind", "escalate"):
        return None
    if opinion:
        return Response(kind="approve", text=f"{message.about}: fine by me, go ahead.")
    return Response(kind="refuse", text=f"{message.about}: no, please don't.")
