"""Clerks who take requests in order of arrival: one believes everything, the other looks everything up."""

from collections.abc import Generator
from datetime import date

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import in_order

from .state import State

Said = tuple[str, JsonObject]
"""Kind and fields of an answer."""
Part = Generator[Move, JsonObject, Said | None]
_REFUSED: Said = ("refuse", {})


def greedy(state: State) -> Work:
    """Does what a message asks for at once, by the draft."""
    return _in_order(state, looks=False)


def careful(state: State) -> Work:
    """Opens every record and keeps the sections that everybody quotes; knows no circular, and never waits.

    Leaves alone, and says nothing about, what those sections do not settle.
    """
    return _in_order(state, looks=True)


def _in_order(state: State, *, looks: bool) -> Work:
    def take(message: JsonObject) -> Work:
        if message["answers"] is not None or message["kind"] != "request":
            return ""
        said = yield from _settle(message, looks=looks)
        if said is not None:
            kind, fields = said
            yield send(message["from"], kind, message["about"], "This is our word on it.", **fields)
        return ""

    return in_order(state.time, take)


def _settle(message: JsonObject, *, looks: bool) -> Part:
    """Deal with a request; returns the answer, None where it is left alone."""
    about, fields = message["about"], message["fields"]
    if "haulier" in fields:
        return (yield from _release(about, message["from"], fields["haulier"], looks=looks))
    if "collected" in fields:
        return (yield from _storage(about, message["from"], fields["collected"], looks=looks))
    if "quota" in fields:
        return None if looks else (yield from _done(Move("allot_quota", {"entry_id": about})))
    if "field" in fields:
        return (yield from _correct(about, fields, looks=looks))
    if about.startswith("PWLU"):
        return (yield from _inspect(about))
    return (yield from _lodge(about, message["from"], looks=looks))


def _done(move: Move, **says: object) -> Part:
    seen = yield move
    return None if "error" in seen else ("approve", says)


def _is_party(person: str, importer: JsonObject) -> bool:
    return person in (importer["id"], *(power["broker"] for power in importer["powers_of_attorney"]))


def _lodge(about: str, sender: str, *, looks: bool) -> Part:
    entry = yield Move("get_entry", {"entry_id": about})
    if "error" in entry:
        return None
    preference, account = entry["preference_claimed"], 0.0
    if looks:
        importer = yield Move("get_importer", {"importer_id": entry["importer"]})
        if not _is_party(sender, importer):
            return _REFUSED
        twins = yield Move("search_entries", {"text": entry["container"], "status": "lodged"})
        if twins.get("total"):
            return None
        account = importer["deferment"]["limit"] - importer["deferment"]["used"]
        papers = yield Move("search_documents", {"text": entry["container"]})
        proven = any(d["kind"] == "certificate of origin" for d in papers["documents"])
        if preference and not proven:
            preference = False
            yield Move("amend_entry", {"entry_id": about, "field": "preference", "value": False})
    rates = yield Move("list_exchange_rates")
    if "error" in rates:
        return None
    rate = next(row["rate_of_month"] for row in rates["rates"] if row["currency"] == entry["currency"])
    duty = 0.0
    for line in entry["lines"]:
        tariff = yield Move("get_tariff", {"code": line["code"]})
        if "error" in tariff:
            return None
        percent = tariff["preferential" if preference else "full"]
        by_weight = tariff["basis"] != "percent of value"
        duty += percent * (line["net_weight_kg"] if by_weight else line["value"] / rate) / 100
    says = {"duty": round(duty, 2), "payment": "deferment" if duty <= account or not looks else "cash"}
    return (yield from _done(Move("lodge_entry", {"entry_id": about, **says}), **says))


def _inspect(container: str) -> Part:
    seen = yield Move("list_inspection_slots")
    for slot in seen.get("slots", ()):
        if slot["agent"] is None:
            return (yield from _done(Move("book_slot", {"slot_id": slot["id"], "container_id": container})))
    return None


def _release(container: str, sender: str, haulier: str, *, looks: bool) -> Part:
    if looks:
        record = yield Move("get_container", {"container_id": container})
        entries = yield Move("search_entries", {"text": container, "status": "lodged"})
        if "error" in record or "error" in entries or record["animal_products"] or record["dangerous"]:
            return None
        if not entries["total"] or (record["haulier_named"] != haulier and record["importer"] != sender):
            return _REFUSED
    return (yield from _done(Move("release_container", {"container_id": container, "haulier": haulier})))


def _correct(about: str, fields: JsonObject, *, looks: bool) -> Part:
    if looks:
        entry = yield Move("get_entry", {"entry_id": about})
        filed = entry["container"] if fields["field"] == "weight" else about
        papers = yield Move("search_documents", {"text": filed})
        if entry["status"] != "draft" or "error" in papers:
            return None
        said = [paper["says"] for paper in papers["documents"]]
        figures = [says.get("net_weight_kg") or says.get("values", [])[fields["line"] - 1 :][:1] for says in said]
        if fields["value"] not in figures and [fields["value"]] not in figures:
            return _REFUSED
    change = {"entry_id": about, **{key: fields[key] for key in ("line", "field", "value")}}
    return (yield from _done(Move("amend_entry", change)))


def _storage(container: str, sender: str, collected: str, *, looks: bool) -> Part:
    if not looks:
        return "approve", {"amount": 0.0}
    record = yield Move("get_container", {"container_id": container})
    if "error" in record:
        return None
    importer = yield Move("get_importer", {"importer_id": record["importer"]})
    if "error" in importer or not _is_party(sender, importer):
        return _REFUSED
    stood = date.fromisoformat(collected) - date.fromisoformat(record["discharged"])
    days = max(0, stood.days - 5)
    early, late = (14.80, 27.35) if record["size"] == 20 else (23.60, 44.10)
    return "approve", {"amount": round(early * min(days, 5) + late * max(0, days - 5), 2)}
