"""The PDF of an issue: written by hand, as characters or as pictures of pages."""

import ctypes
import io
import re
from enum import StrEnum
from types import TracebackType
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from lab.generate.issue import Issue
from lab.generate.setting.marks import Bar, Line, Sheet, Text
from lab.generate.setting.page import set_page
from lab.generate.world import World

_IDENTITY = re.compile(rb"(?<=/ID\[)<[0-9A-F]{32}><[0-9A-F]{32}>")
_DATE = re.compile(rb"(?<=/CreationDate\(D:)\d{14}[+-]\d\d'\d\d'")
_NO_DATE = b"20000101000000+00'00'"


class PdfFile:
    """A PDF in the making; use it as a context manager."""

    def __init__(self) -> None:
        self._document = pdfium.PdfDocument.new()
        self._fonts: dict[str, Any] = {}

    def __enter__(self) -> "PdfFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for font in self._fonts.values():
            raw.FPDFFont_Close(font)
        self._document.close()

    def add(self, sheet: Sheet) -> None:
        """A page of characters, rules and areas."""
        page = self._document.new_page(sheet.width, sheet.height)
        for mark in sheet.marks:
            if isinstance(mark, Text):
                made = self._text(mark, sheet.height)
            else:
                made = _line(mark, sheet.height) if isinstance(mark, Line) else _bar(mark, sheet.height)
            raw.FPDFPage_InsertObject(page.raw, made)
        raw.FPDFPage_GenerateContent(page.raw)
        page.close()

    def add_image(self, jpeg: bytes, sheet: Sheet) -> None:
        """A page that is one picture; the sheet's texts lie below it, unseen."""
        page = self._document.new_page(sheet.width, sheet.height)
        for mark in sheet.marks:
            if isinstance(mark, Text):
                made = self._text(mark, sheet.height)
                raw.FPDFTextObj_SetTextRenderMode(made, raw.FPDF_TEXTRENDERMODE_INVISIBLE)
                raw.FPDFPage_InsertObject(page.raw, made)
        image = pdfium.PdfImage.new(self._document)
        image.load_jpeg(io.BytesIO(jpeg), inline=True)
        image.set_matrix(pdfium.PdfMatrix().scale(sheet.width, sheet.height))
        page.insert_obj(image)
        page.gen_content()
        page.close()

    def image(self, page: int, dots_per_inch: int) -> Any:
        """A page (from 0) as an array of grey dots."""
        shown = self._document[page]
        try:
            return shown.render(scale=dots_per_inch / 72, grayscale=True).to_numpy().copy()
        finally:
            shown.close()

    def bytes(self) -> bytes:
        """The file. The same pages give the same bytes: neither time nor chance is left in it."""
        target = io.BytesIO()
        self._document.save(target)
        data = _DATE.sub(_NO_DATE, target.getvalue())
        return _IDENTITY.sub(b"<%b><%b>" % (b"0" * 32, b"0" * 32), data)

    def _text(self, mark: Text, height: float) -> Any:
        font = self._fonts.get(mark.font)
        if font is None:
            font = self._fonts[mark.font] = raw.FPDFText_LoadStandardFont(self._document.raw, mark.font.encode())
        made = raw.FPDFPageObj_CreateTextObj(self._document.raw, font, mark.size)
        code = f"{mark.text}\0".encode("utf-16-le")
        raw.FPDFText_SetText(made, (ctypes.c_ushort * (len(code) // 2)).from_buffer_copy(code))
        raw.FPDFPageObj_Transform(made, 1, 0, 0, 1, round(mark.x, 2), round(height - mark.y, 2))
        return made


def _line(mark: Line, height: float) -> Any:
    made = raw.FPDFPageObj_CreateNewPath(round(mark.x0, 2), round(height - mark.y0, 2))
    raw.FPDFPath_LineTo(made, round(mark.x1, 2), round(height - mark.y1, 2))
    raw.FPDFPageObj_SetStrokeWidth(made, mark.width)
    raw.FPDFPath_SetDrawMode(made, raw.FPDF_FILLMODE_NONE, True)
    return made


def _bar(mark: Bar, height: float) -> Any:
    made = raw.FPDFPageObj_CreateNewRect(mark.x0, height - mark.y1, mark.x1 - mark.x0, mark.y1 - mark.y0)
    grey = round(mark.grey * 255)
    raw.FPDFPageObj_SetFillColor(made, grey, grey, grey, 255)
    raw.FPDFPath_SetDrawMode(made, raw.FPDF_FILLMODE_ALTERNATE, False)
    return made


class Paper(StrEnum):
    """The material that the pages of a PDF are made of; the word is the `kind` of the truth files."""

    DIGITAL = "digital"
    """Characters and lines."""
    SCAN = "scan"
    """Pictures, in some issues over a bad text layer."""
    WORN = "worn"
    """The same, of pages on which rows and columns are hard to find."""


_WITH_TEXT_LAYER = 1 / 3
"""Share of the scanned issues that carry one, as many real scans do."""


def pdf_of(world: World, issue: Issue, paper: Paper) -> bytes:
    """All pages of an issue."""
    sheets = [set_page(page, issue.style, issue.running_head) for page in issue.pages]
    with PdfFile() as clean:
        for sheet in sheets:
            clean.add(sheet)
        if paper is Paper.DIGITAL:
            return clean.bytes()
        from lab.generate import scan, wear

        layer = world.dice("text layer", issue.document).random() < _WITH_TEXT_LAYER
        dpi = scan.dots_per_inch(world.dice("dpi", issue.document))
        with PdfFile() as scanned:
            for number, sheet in enumerate(sheets):
                dice = world.dice("scan", issue.document, number)
                grey = clean.image(number, dpi)
                if paper is Paper.WORN:
                    grey = wear.worn(grey.reshape(grey.shape[:2]), str(dice.choice(list(wear.WEARS))), 1.0, dpi)
                jpeg = scan.degraded(grey, dice)
                under = scan.misread(sheet, dice) if layer else scan.without_text(sheet)
                scanned.add_image(jpeg, under)
            return scanned.bytes()
