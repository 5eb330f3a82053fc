"""Special terms of a facility's contract, in the words of the contract."""

from worktrial.language import JsonObject

from .state import Facility


def clauses(facility: Facility) -> list[JsonObject]:
    """Clauses that a contract has, with their numbers."""
    t = facility.terms
    free = f"{t.fee_free / 100:,.2f}"
    days = "day" if t.notice_days == 1 else "days"
    found = [
        ("2.1", "The Bank makes the facility available up to the limit; each drawing is ordered in writing.", True),
        ("2.3", f"A drawing is ordered {t.notice_days} business {days} before its value date; the day of receipt "
                "does not count.", t.notice_days > 0),
        ("2.5", "Orders need the signatures of two persons on the card, whatever the amount.", t.two_signatures),
        ("3.2", "The Bank's commitment is irrevocable; only non-payment entitles it to withhold.", t.irrevocable),
        ("4.1", f"The commitment fee is reckoned by actual days over {t.fee_days}.", t.fee_days != 360),
        ("4.2", f"The first EUR {free} of what is undrawn bear no commitment fee.", t.fee_free > 0),
        ("5.1", "Debt, for the covenant, includes the liabilities from leases.", t.leases),
        ("5.2", "Cash is not taken off the debt.", t.no_cash),
        ("5.3", "Earnings are taken as the certificate reports them, one-off gains included.", t.as_reported),
        *(("6.1", f"For {kind} the parties agree on a haircut of {cut} percent.", True)
          for kind, cut in t.haircuts.items()),
        ("7.4", "The guarantor may at any time be told the utilisation of the facility.", t.informs_guarantor),
        ("9.1", "The contract is governed by the law of the Bank's seat.", True),
    ]  # fmt: skip
    return [{"clause": number, "text": text} for number, text, holds in found if holds]
