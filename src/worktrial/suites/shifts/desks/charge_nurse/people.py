"""Answers that the desk's rules give: who counts again, and who has the last word on an order."""

from worktrial.workplaces.people import Message, Person, Response

from .state import State


def decide(state: State, person: Person, message: Message) -> Response | None:
    """What nurses say about a sheet, and physicians about an order of their own."""
    if person.id in state.nurses and message.about in state.entries:
        return Response(kind="tell", text=f"{message.about}: understood, I'll see to it.")
    patient = state.patients.get(message.about)
    if patient is None or patient.admission_by != person.id or message.fields.get("topic") != "order":
        return None
    stands = "no longer stands" if patient.admission == "withdrawn" else "stands"
    return Response(
        kind="tell", text=f"{patient.id}: my order {stands}.", fields={"topic": "order", "value": stands}
    )
