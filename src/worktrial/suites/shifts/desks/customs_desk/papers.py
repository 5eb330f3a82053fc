"""What the papers on file make of a draft, by the handbook."""

from .state import CustomsEntry, GoodsLine, State


def true_lines(state: State, entry: CustomsEntry) -> list[GoodsLine]:
    """Lines as the papers have them: values by the latest commercial invoice, weight by the weighbridge."""
    invoices = [d for d in state.documents if d.about == entry.id and d.kind == "commercial invoice"]
    values = [line.value for line in entry.lines]
    if invoices:
        values = max(invoices, key=lambda d: d.date).says["values"]
    weights = [line.weight for line in entry.lines]
    tickets = [d for d in state.documents if d.about == entry.container and d.kind == "weighbridge ticket"]
    if tickets:
        weighed = int(tickets[0].says["net_weight_kg"])
        if abs(weighed - weights[0]) * 100 > float(str(state.figures["tolerance"])) * weights[0]:
            weights[0] = weighed
    return [
        GoodsLine(code=line.code, value=value, weight=weight)
        for line, value, weight in zip(entry.lines, values, weights, strict=True)
    ]
