"""Things that happen whoever works: requests come in, goods arrive, the repair centre reports."""

import msgspec

from worktrial.language import JsonObject

from .state import Document, Request, State


def request(state: State, payload: JsonObject) -> None:
    """A request is registered."""
    opened = msgspec.convert(payload | {"opened": state.time.now}, Request)
    state.requests[opened.id] = opened


def arrived(state: State, payload: JsonObject) -> None:
    """Goods come in, with the receiving slip, unless the customer has kept them."""
    request = state.requests[payload["request"]]
    request.goods, request.goods_since = "in", state.time.minute
    slip = state.arrivals[request.id] | {"id": _number(state), "about": request.id, "date": state.time.now[:10]}
    state.documents.append(msgspec.convert(slip, Document))
    state.mail.deliver(
        state.time.minute,
        "warehouse",
        "tell",
        request.id,
        f"{request.id} 입고",
        f"{request.id} 물건이 들어와 검수했습니다.",
    )


def diagnosed(state: State, payload: JsonObject) -> None:
    """The repair centre has looked at goods, and reports."""
    id = payload["request"]
    found = state.diagnoses[id]
    found.reported_at = state.time.minute
    part = f" 필요한 부품값 {found.part_price}원." if found.part_price else ""
    unsafe = " 안전 소견 있음: 과열 흔적." if found.unsafe else ""
    state.documents.append(
        Document(
            id=_number(state), kind="진단서", about=id, date=state.time.now[:10], signed_by="repair_center",
            text=f"판정: {found.result}. 증상: {found.symptom}.{part}{unsafe}",
        )
    )  # fmt: skip
    state.mail.deliver(
        state.time.minute,
        "repair_center",
        "tell",
        id,
        f"{id} 진단 완료",
        f"{id} 진단서를 올렸습니다. 서류에서 확인해 주세요.",
    )


def _number(state: State) -> str:
    return f"D-{len(state.documents) + 301}"


HAPPENINGS = {"request": request, "arrived": arrived, "diagnosed": diagnosed}
