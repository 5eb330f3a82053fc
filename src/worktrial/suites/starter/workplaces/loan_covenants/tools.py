"""The servicer's system as a covenant analyst uses it."""

from datetime import date
from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from worktrial.suites.starter.workplaces.loan_covenants.state_types import (
    Clause,
    Covenant,
    Document,
    Lease,
    Loan,
    Notice,
    NoticeKind,
    Request,
    State,
    Test,
)
from worktrial.workplaces.executable import ToolError, reads, writes

Json = dict[str, object]
Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Amount = Annotated[float, Meta(ge=-1e9, le=1e9)]

PAGE_SIZE = 4


@reads()
def list_loans(state: State) -> Json:
    """List the serviced loans with borrower, property, next test date and cash trap."""
    loans = [
        {
            "loan_id": loan_id,
            "borrower": loan.borrower,
            "property": loan.property,
            "test_date": loan.test_date,
            "cash_trap": loan.cash_trap,
        }
        for loan_id, loan in state.loans.items()
    ]
    return {"today": state.clock, "loans": loans}


@reads(loan_id="L-2207")
def get_loan(state: State, loan_id: str) -> Json:
    """Open a loan: balance, annual debt service, covenant minimums, test date, date of the rent roll.

    Args:
        loan_id: For example L-2207.
    """
    return {"today": state.clock, "loan_id": loan_id, **msgspec.structs.asdict(_loan(state, loan_id))}


@reads(clause="ratios")
def get_clause(state: State, clause: Clause) -> Json:
    """Read a clause of the loan agreement; all loans share one form.

    Args:
        clause: Which clause.
    """
    return {"clause": clause, "text": state.agreement[clause]}


@reads(loan_id="L-2207")
def list_leases(state: State, loan_id: str, page: Annotated[int, Meta(ge=1, le=1000)] = 1) -> Json:
    """List a property's leases from the rent roll, four a page: unit, tenant, end of term.

    Args:
        loan_id: For example L-2207.
        page: Which page, counted from 1.
    """
    _loan(state, loan_id)
    leases = [(lease_id, lease) for lease_id, lease in state.leases.items() if lease.loan_id == loan_id]
    pages = -(-len(leases) // PAGE_SIZE)
    if page > pages:
        raise ToolError("no_such_page", f"The rent roll of {loan_id} has {pages} pages.")
    shown = leases[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    return {
        "loan_id": loan_id,
        "page": page,
        "pages": pages,
        "leases": [
            {"lease_id": lease_id, "unit": lease.unit, "tenant": lease.tenant, "term_ends": lease.term_ends}
            for lease_id, lease in shown
        ],
    }


@reads(lease_id="LS-0701")
def get_lease(state: State, lease_id: str) -> Json:
    """Open a lease: monthly base rent and surcharge, when they end, arrears, notice.

    Args:
        lease_id: For example LS-0701.
    """
    if lease_id not in state.leases:
        raise ToolError("unknown_lease", f"There is no lease {lease_id}.")
    lease: Lease = state.leases[lease_id]
    return {"lease_id": lease_id, **msgspec.structs.asdict(lease)}


@reads(loan_id="L-2207")
def get_expenses(state: State, loan_id: str) -> Json:
    """Read a property's operating expenses of the trailing twelve months.

    Args:
        loan_id: For example L-2207.
    """
    _loan(state, loan_id)
    return {"loan_id": loan_id, **msgspec.structs.asdict(state.expenses[loan_id])}


@reads(loan_id="L-2207")
def list_tests(state: State, loan_id: str) -> Json:
    """List the covenant tests recorded for a loan, oldest first.

    Args:
        loan_id: For example L-2207.
    """
    _loan(state, loan_id)
    return {"loan_id": loan_id, "tests": [test for test in state.tests if test.loan_id == loan_id]}


@writes(loan_id="L-2207", covenant="debt_yield", test_date="2025-03-31", noi=400000, value=10.0, passed=True)
def record_test(
    state: State, loan_id: str, covenant: Covenant, test_date: Day, noi: Amount, value: Amount, passed: bool
) -> Json:
    """Record the result of a covenant test; a recorded test cannot be changed.

    Args:
        loan_id: For example L-2207.
        covenant: Which covenant was tested.
        test_date: The day as of which it was tested, for example 2024-12-31.
        noi: Net operating income used, in dollars and cents.
        value: The result: a ratio for dscr, percent for debt_yield.
        passed: Whether the result meets the minimum.
    """
    _loan(state, loan_id)
    if _day(test_date) > _day(state.clock):
        raise ToolError("date_ahead", f"{test_date} lies ahead of today ({state.clock}).")
    if any((t.loan_id, t.covenant, t.test_date) == (loan_id, covenant, test_date) for t in state.tests):
        raise ToolError("already_recorded", f"{loan_id} has a {covenant} test as of {test_date}.")
    test = Test(
        loan_id=loan_id,
        covenant=covenant,
        test_date=test_date,
        noi=_cents(noi),
        value=Decimal(str(value)),
        passed=passed,
        recorded_on=state.clock,
    )
    state.tests.append(test)
    return {"test": test}


@writes(loan_id="L-2207", active=True)
def set_cash_trap(state: State, loan_id: str, active: bool) -> Json:
    """Switch a loan's cash trap on or off.

    Args:
        loan_id: For example L-2207.
        active: True sends the property's rents to the lender's account.
    """
    loan = _loan(state, loan_id)
    if loan.cash_trap == active:
        raise ToolError("no_change", f"The cash trap of {loan_id} is already {'on' if active else 'off'}.")
    loan.cash_trap = active
    return {"loan_id": loan_id, "cash_trap": active}


@writes(loan_id="L-2207", kind="reservation_of_rights", covenant="dscr")
def send_notice(
    state: State, loan_id: str, kind: NoticeKind, covenant: Covenant, cure_by: Day | None = None
) -> Json:
    """Send the borrower a formal notice; it goes out at once.

    Args:
        loan_id: For example L-2207.
        kind: Which notice.
        covenant: The covenant it is about.
        cure_by: Last day to cure, for example 2025-06-02; a breach notice needs it, the others have none.
    """
    _loan(state, loan_id)
    if (kind == "breach") != (cure_by is not None):
        raise ToolError("cure_date", "A breach notice needs cure_by; other notices have none.")
    if cure_by is not None and _day(cure_by) <= _day(state.clock):
        raise ToolError("date_passed", f"{cure_by} is not after today ({state.clock}).")
    notice = Notice(loan_id=loan_id, kind=kind, covenant=covenant, cure_by=cure_by, sent_on=state.clock)
    state.notices.append(notice)
    return {"notice": notice}


@writes(loan_id="L-2207", document="operating_statement", due="2025-05-30")
def request_document(state: State, loan_id: str, document: Document, due: Day) -> Json:
    """Ask the borrower for a document.

    Args:
        loan_id: For example L-2207.
        document: Which document.
        due: Last day to deliver it, for example 2025-01-15.
    """
    _loan(state, loan_id)
    if _day(due) <= _day(state.clock):
        raise ToolError("date_passed", f"{due} is not after today ({state.clock}).")
    if any((r.loan_id, r.document) == (loan_id, document) for r in state.requests):
        raise ToolError("already_requested", f"A {document} of {loan_id} has been asked for.")
    request = Request(loan_id=loan_id, document=document, due=due, requested_on=state.clock)
    state.requests.append(request)
    return {"request": request}


def _loan(state: State, loan_id: str) -> Loan:
    if loan_id not in state.loans:
        raise ToolError("unknown_loan", f"There is no loan {loan_id}.")
    return state.loans[loan_id]


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as e:
        raise ToolError("invalid_date", f"{text} is no date.") from e


def _cents(amount: float) -> Decimal:
    return Decimal(str(amount)).quantize(Decimal("0.01"))
