"""Words that decide: relief drivers, customers who may consent, and the road authority about its roads."""

from worktrial.workplaces.people import Message, Person, Response

from .state import State


def decide(state: State, person: Person, message: Message) -> Response | None:
    """Word of a person on a record, where they have one."""
    if message.kind not in ("request", "ask", "remind", "escalate"):
        return None
    about = message.about
    if person.id == "road_authority" and about in state.roads:
        known = state.opinions.get(about, {}).get(person.id)
        status = state.roads[about].bulletin if known is None else "closed" if known else "open"
        return Response(kind="tell", text=f"{about}: {status}.", fields={"status": status})
    opinion = state.opinions.get(about, {}).get(person.id)
    if opinion is None:
        return None
    if opinion:
        return Response(kind="approve", text=f"{about}: yes, agreed.")
    return Response(kind="refuse", text=f"{about}: no, I am sorry.")
