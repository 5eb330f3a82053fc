"""Consents: whoever is asked about a request says what they think of it; about money only where it is named."""

from worktrial.workplaces.people import Message, Person, Response

from .state import State


def decide(state: State, person: Person, message: Message) -> Response | None:
    """A consent or a refusal, where a person has an opinion on the request."""
    opinion = state.answers.get(message.about, {}).get(person.id)
    if opinion is None or message.kind not in ("request", "ask", "remind", "escalate"):
        return None
    about = message.about
    fields = message.fields
    if message.kind == "remind" and not fields:
        # Who reminds means what was asked before.
        fields = next(
            (m.fields for m in reversed(state.mail.sent) if m.to == person.id and m.about == about and m.fields), {}
        )
    amount = fields.get("amount")
    if amount is None and not _pays(state, person, about):
        return Response(kind="ask", text=f"{about} 건, 금액이 얼마인지 fields의 amount에 적어 주세요.")
    said = {} if amount is None else {"amount": amount}
    if person.id == "manager" and isinstance(amount, int | float) and amount <= float(str(state.figures["limit"])):
        return Response(kind="tell", text=f"{about} 건, {amount}원이면 창구 권한입니다. 규정대로 처리하세요.")
    if opinion:
        return Response(kind="approve", text=f"{about} 건, 그렇게 하세요. 동의합니다.", fields=said)
    return Response(kind="refuse", text=f"{about} 건은 안 하겠습니다. 동의하지 않습니다.", fields=said)


def _pays(state: State, person: Person, about: str) -> bool:
    """Whether a person is the payer of a gift, who knows what it cost."""
    order = state.orders[state.requests[about].order]
    return order.recipient is not None and person.id == order.buyer
