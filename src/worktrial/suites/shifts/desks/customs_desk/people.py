"""Words of offices and importers: certificates from abroad, the vet's clearance, and what importers believe."""

from worktrial.workplaces.people import Message, Person, Response

from .state import Document, State


def decide(state: State, person: Person, message: Message) -> Response | None:
    """A certificate, a clearance, or an importer's opinion; None for everything else."""
    if message.kind not in ("request", "ask", "remind", "escalate"):
        return None
    about = message.about
    if person.id.startswith("origin_") and about in state.entries:
        return _certificate(state, person, about)
    if person.id == "vet" and about in state.clearances:
        if state.clearances[about]:
            state.cleared.setdefault(about, state.time.minute)
            return Response(kind="approve", text=f"{about}: papers and seals seen, cleared for the market.")
        return Response(kind="refuse", text=f"{about}: not cleared, the papers go back to the exporting side.")
    entry = state.entries.get(about)
    if entry is not None and entry.importer == person.id and message.kind == "ask":
        return Response(kind="tell", text=f"{about}: that is all arranged with our broker, they know our business.")
    return None


def _certificate(state: State, person: Person, about: str) -> Response:
    entry = state.entries[about]
    if person.id != f"origin_{entry.origin.lower()}":
        return Response(kind="refuse", text=f"{about}: goods of that origin are not ours to certify.")
    issued = state.certificates.get(about)
    if issued is None:
        return Response(kind="tell", text=f"{about}: whatever we have issued for it is with you already.")
    if not issued:
        return Response(kind="refuse", text=f"{about}: we have issued no certificate for this consignment.")
    if not any(d.about == entry.container and d.kind == "certificate of origin" for d in state.documents):
        says = {"origin": entry.origin, "container": entry.container}
        state.documents.append(
            Document(
                id=f"D-{len(state.documents) + 3001}",
                kind="certificate of origin",
                about=entry.container,
                date=state.time.now[:10],
                says=says,
            )
        )
    return Response(kind="approve", text=f"{about}: certificate issued today, it is on your file.")
