"""What each clause asks of the desk, in one situation each."""

from datetime import date, timedelta
from random import Random

from worktrial.workplaces.executable import Situation, atom, pointer

from .tools import Loan, Member, State

ASKS = (
    "{name} ({member}) needs the {tool} for longer: see what can be done about loan {loan}.",
    "Loan {loan} comes up for an extension, {name} ({member}) is still at work with the {tool}. Please decide it.",
    "{member} rang, {name} would like to keep the {tool} of loan {loan} for more time.",
)
ASKS_KO = (
    "{name} 회원({member})이 {tool}을(를) 더 쓰고 싶어 합니다. 대여 {loan}을 어떻게 할 수 있는지 보아 주세요.",
    "대여 {loan}의 연장 문의입니다. {name} 회원({member})이 아직 {tool}으로 작업하고 있습니다. 결정해 주세요.",
    "회원 {member}이 전화했습니다. {name} 회원이 대여 {loan}의 {tool}을 더 오래 쓰고 싶답니다.",
)


def _quiet(state: State, random: Random) -> str:
    """A loan on which no rule of the desk bears but the first."""
    reserved = {r.tool_id for r in state.reservations}
    free = [
        loan_id
        for loan_id, loan in sorted(state.loans.items())
        if loan.status == "open" and not loan.extended and loan.tool_id not in reserved
    ]
    return random.choice(free)


def _request(state: State, loan_id: str, member: Member, random: Random) -> dict[str, str]:
    loan = state.loans[loan_id]
    words = {
        "name": member.name,
        "member": loan.member_id,
        "tool": state.tools[loan.tool_id].title,
        "loan": loan_id,
    }
    form = random.randrange(len(ASKS))
    return {"en": ASKS[form].format(**words), "ko": ASKS_KO[form].format(**words)}


def _look(loan_id: str, loan: Loan) -> list[dict[str, object]]:
    return [
        {"call": "get_loan", "with": {"loan_id": loan_id}, "as": "loan"},
        {"call": "get_member", "with": {"member_id": {"from": "loan", "at": "/loan/member_id"}}},
        {"call": "get_tool", "with": {"tool_id": {"from": "loan", "at": "/loan/tool_id"}}},
    ]


def _records(loan_id: str, loan: Loan) -> list[str]:
    return [pointer("loans", loan_id), pointer("members", loan.member_id), pointer("tools", loan.tool_id)]


def _granted(state: State, loan_id: str, member: Member, random: Random, **more: object) -> Situation:
    loan = state.loans[loan_id]
    due = (date.fromisoformat(loan.due) + timedelta(days=14)).isoformat()
    return Situation(
        records=_records(loan_id, loan),
        request=_request(state, loan_id, member, random),
        patch=[{"op": "replace", "path": pointer("members", loan.member_id), "value": _plain(member)}],
        steps=[*_look(loan_id, loan), {"call": "extend_loan", "with": {"loan_id": loan_id, "due": due}}],
        report={"case": loan_id, "outcome": "EXTENDED", "amount": 0, "date": due},
        checks=[{"check": "state_equals", "at": pointer("loans", loan_id, "due"), "value": due}],
        changes=[pointer("loans", loan_id)],
        **more,
    )


def _refused(state: State, loan_id: str, member: Member, random: Random, outcome: str, **more: object) -> Situation:
    loan = state.loans[loan_id]
    plant = [{"op": "replace", "path": pointer("members", loan.member_id), "value": _plain(member)}]
    return Situation(
        records=_records(loan_id, loan),
        request=_request(state, loan_id, member, random),
        patch=[*plant, *more.pop("patch", [])],
        steps=_look(loan_id, loan),
        report={"case": loan_id, "outcome": outcome, "amount": 0, "date": loan.due},
        checks=[{"check": "state_equals", "at": pointer("loans", loan_id, "due"), "value": loan.due}],
        refusal=True,
        **more,
    )


def _plain(member: Member) -> dict[str, object]:
    return {"name": member.name, "fees": member.fees, "staff": member.staff}


def _of(state: State, loan_id: str, fees: float, *, staff: bool = False) -> Member:
    return Member(state.members[state.loans[loan_id].member_id].name, fees, staff)


@atom("C-01")
def plain_extension(state: State, random: Random) -> Situation | None:
    loan_id = _quiet(state, random)
    return _granted(state, loan_id, _of(state, loan_id, random.choice([0.0, 4.5])), random)


@atom("C-01")
def second_extension(state: State, random: Random) -> Situation | None:
    loan_id = _quiet(state, random)
    patch = [{"op": "replace", "path": pointer("loans", loan_id, "extended"), "value": True}]
    return _refused(state, loan_id, _of(state, loan_id, 0.0), random, "EXTENDED_BEFORE", patch=patch)


@atom("C-02")
def reserved_tool(state: State, random: Random) -> Situation | None:
    loan_id = _quiet(state, random)
    loan = state.loans[loan_id]
    others = sorted(state.members.keys() - {loan.member_id})
    reservation = {"tool_id": loan.tool_id, "member_id": random.choice(others)}
    patch = [{"op": "add", "path": "/reservations/-", "value": reservation}]
    return _refused(state, loan_id, _of(state, loan_id, 0.0), random, "RESERVED", patch=patch)


@atom("C-03", weight=2)
def too_many_fees(state: State, random: Random) -> Situation | None:
    loan_id = _quiet(state, random)
    fees = random.choice([20.01, 20.5, 31.0])
    member = _of(state, loan_id, fees)
    return _refused(state, loan_id, member, random, "FEES_OWED", exception="does_not", clauses=["C-04"])


@atom("C-03")
def fees_at_the_limit(state: State, random: Random) -> Situation | None:
    loan_id = _quiet(state, random)
    return _granted(state, loan_id, _of(state, loan_id, 20.0), random)


@atom("C-04", weight=2)
def staff_with_fees(state: State, random: Random) -> Situation | None:
    loan_id = _quiet(state, random)
    member = _of(state, loan_id, random.choice([25.0, 44.0]), staff=True)
    return _granted(state, loan_id, member, random, exception="applies", clauses=["C-03"])


@atom("C-05", weight=2)
def lost_tool(state: State, random: Random) -> Situation | None:
    loan_id = _quiet(state, random)
    loan = state.loans[loan_id]
    tool = state.tools[loan.tool_id]
    bought, today = date.fromisoformat(tool.bought), date.fromisoformat(state.clock[:10])
    years = today.year - bought.year - ((today.month, today.day) < (bought.month, bought.day))
    amount = round(max(5.0, tool.price * (10 - years) / 10), 2)
    return Situation(
        records=_records(loan_id, loan),
        request={
            "en": f"The {tool.title} of loan {loan_id} is gone for good. Please charge for it.",
            "ko": f"대여 {loan_id}의 {tool.title}을(를) 잃어버렸습니다. 변상금을 청구해 주세요.",
        },
        steps=[
            *_look(loan_id, loan),
            {"call": "get_today"},
            {"call": "charge_loss", "with": {"loan_id": loan_id, "amount": amount}},
        ],
        report={"case": loan_id, "outcome": "CHARGED", "amount": amount},
        checks=[
            {"check": "state_equals", "at": pointer("loans", loan_id, "status"), "value": "lost"},
            {
                "check": "state_items",
                "at": "/charges",
                "matching": {"loan_id": loan_id, "amount": amount},
                "at_most": 1,
            },
        ],
        changes=[pointer("loans", loan_id, "status"), "/charges"],
    )
