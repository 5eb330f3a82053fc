"""The kinds of made pages: each seed makes one page of every kind for each typesetter."""

import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from lab.panels.layouts.page import Align, Block, Columns, Drawing, MadePage, TableRow, Tabular, Text

TYPESETTERS = ("typst", "reportlab", "weasyprint")
_STYLES = ("booktabs", "bands", "grid", "lines", "plain")


@lru_cache(1)
def _all_words() -> dict[str, Any]:
    return yaml.safe_load(Path(__file__).with_name("words.yaml").read_text("utf-8"))


class Writer:
    """Words and figures in one language, drawn by chance."""

    def __init__(self, language: str, chance: random.Random) -> None:
        own = _all_words()[language]
        self.words: dict[str, Any] = {**_all_words().get(own.get("like"), {}), **own}
        self.chance = chance

    def figure(self, most: int = 90_000, decimals: int = 0, *, signed: bool = False) -> str:
        """A number as the language prints it."""
        size = self.chance.randrange(1, most) if self.chance.random() < 0.8 else self.chance.randrange(1, 1000)
        whole = f"{size:,}".replace(",", self.words["group"])
        part = f"{self.words['decimal']}{self.chance.randrange(10**decimals):0{decimals}d}" if decimals else ""
        sign = "-" if signed and self.chance.random() < 0.3 else ""
        return f"{sign}{whole}{part}"

    def some(self, name: str, count: int) -> list[str]:
        """Several different words of a list, in its order."""
        told: list[str] = self.words[name]
        return [told[k] for k in sorted(self.chance.sample(range(len(told)), min(count, len(told))))]

    def prose(self, sentences: int) -> Text:
        """A paragraph."""
        return Text(" ".join(self.chance.choices(self.words["sentences"], k=sentences)))

    def heading(self) -> Text:
        """A heading in a text."""
        return Text(f"{self.chance.randrange(1, 9)}.{self.chance.randrange(1, 9)} {self.word('items')}", "heading")

    def word(self, name: str) -> str:
        """One of a list."""
        return self.chance.choice(self.words[name])

    def caption(self, name: str = "table") -> str:
        """A numbered caption."""
        number = self.chance.randrange(1, 40)
        return f"{self.words[name]} {number}: {self.word('items')}, {self.chance.randrange(2001, 2024)}"

    def table(self, rows: int, columns: int, **own: Any) -> Tabular:
        """Labels and figures, with a total."""
        decimals = own.pop("decimals", None)
        decimals = self.chance.choice((0, 0, 1, 2)) if decimals is None else decimals
        labels = self.some("items", rows)
        body = [
            TableRow((label, *(self.figure(90_000, decimals, signed=k == 2) for k in range(columns))))
            for label in labels
        ]
        total = TableRow((self.words["total"], *(self.figure(900_000, decimals) for _ in range(columns))), "total")
        first = self.chance.randrange(1995, 2018)
        heads = [str(first + k) for k in range(columns)]
        if self.chance.random() < 0.5 and columns <= len(self.words["heads"]):
            heads = self.some("heads", columns)
        head = (((self.words["item"], 1), *((text, 1) for text in heads)),)
        style = own.pop("style", None) or self.chance.choice(_STYLES)
        aligned: tuple[Align, ...] = ("l", *("r" for _ in range(columns)))
        return Tabular(own.pop("head", head), (*body, total), aligned, style, **own)


def make_pages(seed: int) -> tuple[MadePage, ...]:
    """All kinds of pages, each through every typesetter, with other words and figures for each."""
    pages = []
    for kind, make in KINDS.items():
        for typesetter in TYPESETTERS:
            chance = random.Random(f"{seed}/{kind}/{typesetter}")
            languages = LANGUAGES.get(kind, ("en", "en", "de", "fr"))
            language = chance.choice(languages)
            name = f"{kind}-{typesetter}-{seed}"
            size, serif = chance.choice((8.0, 9.0, 10.0)), chance.random() < 0.5
            blocks = make(Writer(language, chance))
            pages.append(MadePage(kind, name, typesetter, language, size, serif, tuple(blocks)))
    return tuple(pages)


def _two_columns(w: Writer) -> list[Block]:
    inset = w.table(w.chance.randrange(4, 8), w.chance.choice((2, 3)), caption=w.caption(), decimals=0)
    left: list[Block] = [w.prose(5), inset, w.prose(5), w.prose(3)]
    right: list[Block] = [w.heading(), w.prose(6), w.prose(4), w.prose(2)]
    if w.chance.random() < 0.5:
        right.append(w.table(w.chance.randrange(3, 6), 2, caption=w.caption(), decimals=0))
    right.append(w.prose(4))
    if w.chance.random() < 0.4:
        left, right = right, left
    return [Text(w.word("sections"), "title"), Columns((tuple(left), tuple(right)), (0.5, 0.5)), w.prose(3)]


def _invoice(w: Writer) -> list[Block]:
    title, quantity, price, amount, subtotal, tax, due, name, please = w.words["invoice"]
    rows = []
    for number, thing in enumerate(w.some("things", w.chance.randrange(3, 7)), 1):
        cells = (str(number), thing, str(w.chance.randrange(1, 40)), w.figure(400, 2), w.figure(9000, 2))
        rows.append(TableRow(cells))
    rows += [TableRow(("", text, "", "", w.figure(20_000, 2)), "total") for text in (subtotal, tax, due)]
    head = ((("#", 1), (name, 1), (quantity, 1), (price, 1), (amount, 1)),)
    style = w.chance.choice(("lines", "grid", "bands", "plain"))
    items = Tabular(
        head, tuple(rows), ("l", "l", "r", "r", "r"), style, labels=2, widths=(0.06, 0.44, 0.14, 0.18, 0.18)
    )
    number = f"{title} {w.chance.randrange(2010, 2026)}-{w.chance.randrange(100, 999)}"
    address = [Text(text, "right") for text in (number, f"{w.chance.randrange(1, 28)}. {w.word('months')}")]
    return [Text(title, "title"), *address, w.prose(1), items, Text(please), w.prose(1)]


def _balance(w: Writer) -> list[Block]:
    rows: list[TableRow] = []
    for section in w.some("sections", w.chance.choice((2, 3))):
        rows.append(TableRow((section, "", ""), "section"))
        rows += [
            TableRow((label, w.figure(), w.figure(signed=True)), indent=1)
            for label in w.some("items", w.chance.randrange(3, 6))
        ]
        if w.chance.random() < 0.5:
            at = len(rows) - 1
            rows[at] = TableRow(rows[at].cells, indent=2)
        rows.append(TableRow((f"{w.words['total']} {section}", w.figure(900_000), w.figure(900_000)), "total"))
    year = w.chance.randrange(2001, 2024)
    head = ((("", 1), (f"31.12.{year}", 1), (f"31.12.{year - 1}", 1)),)
    style = w.chance.choice(("booktabs", "plain", "lines"))
    unit = w.words["unit"]
    return [
        Text(w.word("sections"), "title"),
        Tabular(head, tuple(rows), ("l", "r", "r"), style, unit=unit, widths=(0.6, 0.2, 0.2)),
        Text(w.words["note"], "note"),
        w.prose(3),
    ]


def _booktabs(w: Writer) -> list[Block]:
    columns = w.chance.choice((4, 6))
    firsts, half = w.some("sections", 2), columns // 2
    years = [str(2015 + k) for k in range(half)]
    head = (
        (("", 1), (firsts[0], half), (firsts[1], half)),
        ((w.words["item"], 1), *((year, 1) for year in years * 2)),
    )
    table = w.table(
        w.chance.randrange(5, 10), columns, style="booktabs", head=head, caption=w.caption(),
        below=w.chance.random() < 0.4, notes=(w.words["note"],),
    )  # fmt: skip
    return [w.heading(), w.prose(4), table, w.prose(5)]


def _coloured(w: Writer) -> list[Block]:
    table = w.table(
        w.chance.randrange(8, 15),
        w.chance.randrange(4, 7),
        style="bands",
        caption=w.caption(),
        unit=w.words["unit"],
    )
    return [w.prose(2), table, Text(w.words["note"], "note"), w.prose(2)]


def _text_cells(w: Writer) -> list[Block]:
    last = w.chance.random() < 0.6
    rows = []
    for label in w.some("items", w.chance.randrange(4, 7)):
        remark = " ".join(w.some("remarks", w.chance.choice((1, 1, 2))))
        figures = (w.figure(), w.figure(5000, 1))
        rows.append(TableRow((label, *figures, remark) if last else (label, remark, *figures)))
    heads = w.some("heads", 2)
    names = (w.words["item"], *heads, w.words["remark"]) if last else (w.words["item"], w.words["remark"], *heads)
    align: tuple[Align, ...] = ("l", "r", "r", "l") if last else ("l", "l", "r", "r")
    widths = (0.24, 0.14, 0.14, 0.48) if last else (0.24, 0.46, 0.15, 0.15)
    style = w.chance.choice(("grid", "lines", "booktabs"))
    labels = 1 if last else 2
    table = Tabular(
        (tuple((name, 1) for name in names),), tuple(rows), align, style, labels, caption=w.caption(), widths=widths
    )
    return [w.prose(3), table, w.prose(3)]


def _side_notes(w: Writer) -> list[Block]:
    main: list[Block] = [w.table(w.chance.randrange(7, 12), 3, caption=w.caption()), w.prose(4), w.prose(4)]
    asides: list[Block] = [Text(text, "note") for text in w.some("aside", 4)]
    asides.insert(2, Text(w.word("sentences"), "note"))
    if w.chance.random() < 0.5:
        return [w.heading(), Columns((tuple(main), tuple(asides)), (0.74, 0.26))]
    return [w.heading(), Columns((tuple(asides), tuple(main)), (0.26, 0.74))]


def _drawing(w: Writer, width: float) -> Drawing:
    height, left, bars = 120.0, 34.0, w.chance.randrange(4, 7)
    step = w.chance.choice((10, 20, 50, 100, 250))
    bottom, top = height - 14, 10.0
    texts: list[tuple[float, float, Align, str]] = []
    strokes = [(left, top, left, bottom), (left, bottom, width - 4, bottom)]
    for k in range(5):
        y = bottom - k * (bottom - top) / 4
        texts.append((left - 4, y + 3, "r", str(step * k)))
        strokes.append((left, y, width - 4, y))
    wide = (width - 4 - left) / bars
    areas = []
    valued = w.chance.random() < 0.5
    for k in range(bars):
        tall = w.chance.uniform(0.2, 0.95) * (bottom - top)
        areas.append((left + (k + 0.2) * wide, bottom - tall, 0.6 * wide, tall, w.chance.uniform(0.3, 0.8)))
        texts.append((left + (k + 0.5) * wide, height - 3, "c", str(2010 + k)))
        if valued:
            value = round(4 * step * tall / (bottom - top))
            texts.append((left + (k + 0.5) * wide, bottom - tall - 2, "c", str(value)))
    return Drawing(width, height, tuple(areas), tuple(strokes), tuple(texts), w.caption("figure"))


def _charts(w: Writer) -> list[Block]:
    pair = Columns(((_drawing(w, 220),), (_drawing(w, 220),)), (0.5, 0.5))
    blocks: list[Block] = [w.heading(), w.prose(3), pair, w.prose(2)]
    if w.chance.random() < 0.6:
        blocks.append(w.table(w.chance.randrange(4, 8), 4, caption=w.caption()))
    return [*blocks, _drawing(w, 330), w.prose(2)]


def _abroad(w: Writer) -> list[Block]:
    head_years = [str(2016 + k) for k in range(4)]
    firsts = w.some("heads", 2)
    rows = [TableRow((month, *(w.figure(90_000, 1) for _ in range(4)))) for month in w.some("months", 6)]
    head = (
        ((w.words["item"], 1), (firsts[0], 2), (firsts[1], 2)),
        (("", 1), *((year, 1) for year in head_years[:2] * 2)),
    )
    style = w.chance.choice(_STYLES)
    table = Tabular(head, tuple(rows), ("l", "r", "r", "r", "r"), style, caption=w.caption(), unit=w.words["unit"])
    second = w.table(w.chance.randrange(4, 7), 2, decimals=0)
    return [table, w.prose(2), Columns(((w.prose(5), w.prose(3)), (w.prose(2), second)), (0.5, 0.5))]


def _korean(w: Writer) -> list[Block]:
    return w.chance.choice((_two_columns, _balance, _text_cells, _coloured))(w)


KINDS: dict[str, Callable[[Writer], Sequence[Block]]] = {
    "two_columns": _two_columns,
    "invoice": _invoice,
    "balance_sheet": _balance,
    "booktabs": _booktabs,
    "coloured_rows": _coloured,
    "text_cells": _text_cells,
    "side_notes": _side_notes,
    "charts": _charts,
    "abroad": _abroad,
    "korean": _korean,
}
LANGUAGES = {"korean": ("ko",), "abroad": ("de", "fr", "ch"), "invoice": ("en", "de", "fr", "ch")}
