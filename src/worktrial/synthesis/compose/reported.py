"""The report of a task: the plan's last call, and the checks of what was handed in."""

from collections.abc import Sequence

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.synthesis.gates.facts import id_like
from worktrial.workplaces.executable.atoms import CaseReport, Situation
from worktrial.workplaces.executable.report_form import REPORT_TOOL, ReportForm


def handing_in(reports: Sequence[CaseReport]) -> JsonObject:
    """The step that hands in a line about each case."""
    lines = [{"case": one.case, "outcome": one.outcomes[0], **one.fields} for one in reports]
    return {"call": REPORT_TOOL, "with": {"cases": lines}}


def line_of(case: Situation) -> JsonObject:
    """The check of the line about a case."""
    report = case.report
    return {"check": "report_line", "case": names_of(case), "outcome": report.outcomes, **report.fields}


def lines_of(cases: Sequence[Situation]) -> JsonObject:
    """The check that nothing is reported about other cases."""
    return {"check": "report_lines", "cases": [name for case in cases for name in names_of(case)]}


def names_of(case: Situation) -> list[str]:
    """Ids by which a case may be named: its own, and those of its other records that the request names."""
    of_records = {place.rpartition("/")[2] for place in case.records}
    named = id_like(" ".join(case.request.values()))
    return [case.report.case, *sorted((of_records & named) - {case.report.case})]


def refuse_unreportable(atom: str, case: Situation, form: ReportForm | None) -> None:
    """Refuse a line that the workplace's form does not ask for, or whose case nobody could name.

    Args:
        atom: Name of the atom.
        case: The situation that it made.
        form: The workplace's; None where it has none.

    Raises:
        DataError: there is no form, a code is none of its, nobody knows of a field, or the case has no id.
    """
    where, report = f"atoms.py: {atom}", case.report
    if form is None:
        raise DataError(where, "the workplace has no report form", "Give `report: {outcomes: …}` in workplace.yaml")
    strange = [code for code in report.outcomes if code not in form.outcomes]
    if strange or not report.outcomes:
        what = f"report: {', '.join(strange) or 'no code'} is no outcome of the form"
        raise DataError(where, what, f"There are: {', '.join(form.outcomes)}")
    for field in report.fields.keys() - {"amount"}:
        if unsaid := [code for code in report.outcomes if f"`{field}`" not in form.outcomes[code]]:
            what = f"report: gives a {field}, and the meaning of {unsaid[0]} says of no `{field}` what it is"
            raise DataError(where, what, "Leave it out, so that nobody has to guess it")
    of_records = {place.rpartition("/")[2] for place in case.records}
    if report.case not in id_like(" ".join(case.request.values())) | of_records:
        what = f"report: the case {report.case!r} is neither named in the request nor one of its records"
        raise DataError(where, what, "Report by the id that the request names")
