"""The covenant tests, worked from what the agent sees."""

from datetime import date, timedelta
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal

from tests.support.two_agents import NaiveAgent, StuckError, day, number, rows, text

CENT = Decimal("0.01")


async def income_and_units(agent: NaiveAgent, loan_id: str, tested: date) -> tuple[Decimal, int]:
    """Test income, and the number of units on the rent roll."""
    page = pages = 1
    listed: list[str] = []
    while page <= pages:
        roll = await agent.look("list_leases", loan_id=loan_id, page=page)
        listed += [text(lease, "lease_id") for lease in rows(roll, "leases")]
        pages, page = int(number(roll, "pages")), page + 1
    income = Decimal(0)
    for lease_id in listed:
        lease = await agent.look("get_lease", lease_id=lease_id)
        short = text(lease, "term_ends") < f"{tested.year}-09-30"
        if short or lease.get("notice_given") or number(lease, "months_in_arrears") >= 2:
            continue
        months = 12
        if lease.get("surcharge_ends"):
            ends = day(lease, "surcharge_ends")
            months = min(12, 12 * (ends.year - tested.year) + ends.month - tested.month)
        income += 12 * number(lease, "base_rent") + months * number(lease, "surcharge")
    return income, len(listed)


async def covenants(agent: NaiveAgent, loan_id: str) -> str:
    """Test every covenant of a loan, and do what follows."""
    loan = await agent.look("get_loan", loan_id=loan_id)
    tested, today = day(loan, "test_date"), day(loan, "today")
    income, units = await income_and_units(agent, loan_id, tested)
    spent = await agent.look("get_expenses", loan_id=loan_id)
    fee = max(number(spent, "management_paid"), (income * Decimal("0.04")).quantize(CENT, ROUND_HALF_UP))
    fixed = sum(number(spent, field) for field in ("taxes", "insurance", "repairs", "utilities"))
    noi = income - fixed - fee - 450 * units
    said = [f"Net operating income {noi:,.2f}."]
    minimums = loan.get("minimums") or {}
    if not minimums:
        raise StuckError("no minimums")
    for covenant in minimums:
        base = number(loan, "annual_debt_service") if covenant == "dscr" else number(loan, "balance") / 100
        if not base:
            raise StuckError(f"nothing to divide by for {covenant}")
        minimum, value = number(minimums, covenant), (noi / base).quantize(CENT, ROUND_HALF_UP)
        passed = value >= minimum
        await agent.do(
            "record_test",
            loan_id=loan_id,
            covenant=covenant,
            test_date=tested.isoformat(),
            noi=float(noi),
            value=float(value),
            passed=passed,
        )
        said.append(f"{covenant} {value} {'passed' if passed else 'failed'}.")
        if passed:
            continue
        ends = today + timedelta(days=30)
        ends += timedelta(days=max(0, 7 - ends.weekday()) if ends.weekday() >= 5 else 0)
        await agent.do("set_cash_trap", loan_id=loan_id, active=True)
        await agent.do("send_notice", loan_id=loan_id, kind="breach", covenant=covenant, cure_by=ends.isoformat())
        said.append(f"To be cured by {ends}.")
        if covenant == "debt_yield":
            prepayment = (number(loan, "balance") - noi / minimum * 100).quantize(CENT, ROUND_CEILING)
            said.append(f"A prepayment of {prepayment:,} would cure it.")
    return " ".join(said)
