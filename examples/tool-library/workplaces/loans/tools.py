"""The desk's system: it records what it is told, and leaves the rules to whoever sits there."""

from typing import Literal

from msgspec import Struct

from worktrial.workplaces.executable import ToolError, reads, writes


class Member(Struct):
    name: str
    fees: float = 0.0
    staff: bool = False


class Tool(Struct):
    title: str
    price: float
    bought: str


class Loan(Struct):
    member_id: str
    tool_id: str
    due: str
    extended: bool = False
    status: Literal["open", "returned", "lost"] = "open"


class Reservation(Struct):
    tool_id: str
    member_id: str


class Charge(Struct):
    loan_id: str
    amount: float


class State(Struct):
    clock: str
    members: dict[str, Member]
    tools: dict[str, Tool]
    loans: dict[str, Loan]
    reservations: list[Reservation] = []
    charges: list[Charge] = []


PAYING = ("charge", "charged", "청구")
"""Words by which a letter says which sum goes over."""
OUTCOMES = {
    "EXTENDED": "the loan is extended; `date`: day on which it is due now",
    "EXTENDED_BEFORE": "not extended a second time; `date`: day on which it stays due",
    "RESERVED": "not extended, since somebody waits for the tool; `date`: day on which it stays due",
    "FEES_OWED": "not extended for the fees that are owed; `date`: day on which it stays due",
    "CHARGED": "lost for good and charged for; `amount`: what is charged",
}
"""Codes in which a case may end; workplace.yaml offers them in the report form."""


@reads()
def get_today(state: State) -> dict[str, object]:
    """Show the date and time at the desk."""
    return {"now": state.clock}


@reads(loan_id="L-1001")
def get_loan(state: State, loan_id: str) -> dict[str, object]:
    """Look up a loan: who has which tool, until when, and whether it was extended.

    Args:
        loan_id: Such as L-1001.
    """
    loan = _loan(state, loan_id)
    return {"loan_id": loan_id, "loan": loan}


@reads(member_id="M-101")
def get_member(state: State, member_id: str) -> dict[str, object]:
    """Look up a member: name, fees owed, and whether the member is staff of the workshop.

    Args:
        member_id: Such as M-101.
    """
    if member_id not in state.members:
        raise ToolError("unknown_member", f"There is no member {member_id}.")
    return {"member_id": member_id, "member": state.members[member_id]}


@reads(tool_id="T-11")
def get_tool(state: State, tool_id: str) -> dict[str, object]:
    """Look up a tool with its price, the day on which it was bought, and who has reserved it.

    Args:
        tool_id: Such as T-11.
    """
    if tool_id not in state.tools:
        raise ToolError("unknown_tool", f"There is no tool {tool_id}.")
    waiting = [r.member_id for r in state.reservations if r.tool_id == tool_id]
    return {"tool_id": tool_id, "tool": state.tools[tool_id], "reserved_by": waiting}


@writes(loan_id="L-1001", due="2031-06-01")
def extend_loan(state: State, loan_id: str, due: str) -> dict[str, object]:
    """Set a new due date on an open loan.

    Args:
        loan_id: Such as L-1001.
        due: The new date, such as 2031-06-01.
    """
    loan = _loan(state, loan_id)
    if loan.status != "open":
        raise ToolError("not_open", f"{loan_id} is {loan.status}.")
    loan.due = due
    loan.extended = True
    return {"loan_id": loan_id, "due": due}


@writes(loan_id="L-1001", amount=12.5)
def charge_loss(state: State, loan_id: str, amount: float) -> dict[str, object]:
    """Put a loan on lost and charge the member.

    Args:
        loan_id: Such as L-1001.
        amount: What is charged.
    """
    loan = _loan(state, loan_id)
    loan.status = "lost"
    state.charges.append(Charge(loan_id, amount))
    return {"loan_id": loan_id, "charged": amount}


def _loan(state: State, loan_id: str) -> Loan:
    if loan_id not in state.loans:
        raise ToolError("unknown_loan", f"There is no loan {loan_id}.")
    return state.loans[loan_id]
