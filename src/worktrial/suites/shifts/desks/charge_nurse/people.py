"""Answers that the desk's rules give: who counts again, and what physicians say of an order of theirs."""

from worktrial.workplaces.people import Message, Person, Response

from .state import State


def decide(state: State, person: Person, message: Message) -> Response | None:
    """What nurses say about a sheet, and physicians about an order of their own."""
    if person.id in state.nurses and message.about in state.entries:
        return Response(kind="tell", text=f"{message.about}: understood, I'll see to it.")
    patient = state.patients.get(message.about)
    if patient is None or patient.admission_by != person.id:
        return None
    topic = str(message.fields.get("topic", "")).casefold()
    if topic in ("order", "admission"):
        stands = "no longer stands" if patient.admission == "withdrawn" else "stands"
        text = f"{patient.id}: my order {stands}."
        return Response(kind="tell", text=text, fields={"topic": "order", "value": stands})
    ward = person.facts.get(patient.id, {}).get("ward")
    if ward is None or topic not in ("", "ward"):
        return None
    # However it is put: there is one thing that a physician can be asked about this patient.
    return Response(kind="tell", text=ward.text, fields={"topic": "ward", "value": ward.value})
