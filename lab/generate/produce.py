"""One issue as a PDF file."""

from enum import StrEnum

from lab.generate.calendar import month_year
from lab.generate.issue import Issue
from lab.generate.setting.page import set_page
from lab.generate.vocabulary import vocabulary
from lab.generate.world import World


class Paper(StrEnum):
    """The material that the pages of a PDF are made of; the word is the `kind` of the truth files."""

    DIGITAL = "digital"
    """Characters and lines."""
    SCAN = "scan"
    """Pictures, in some issues over a bad text layer."""


_WITH_TEXT_LAYER = 1 / 3
"""Share of the scanned issues that carry one, as many real scans do."""


def pdf_of(world: World, issue: Issue, paper: Paper) -> bytes:
    """All pages of an issue."""
    from lab.generate.pdf import PdfFile

    running_head = f"{vocabulary().bulletin}, {month_year(issue.reported.issue)}"
    sheets = [set_page(page, issue.style, running_head) for page in issue.pages]
    with PdfFile() as clean:
        for sheet in sheets:
            clean.add(sheet)
        if paper is Paper.DIGITAL:
            return clean.bytes()
        from lab.generate import scan

        layer = world.dice("text layer", issue.document).random() < _WITH_TEXT_LAYER
        dpi = scan.dots_per_inch(world.dice("dpi", issue.document))
        with PdfFile() as scanned:
            for number, sheet in enumerate(sheets):
                dice = world.dice("scan", issue.document, number)
                jpeg = scan.degraded(clean.image(number, dpi), dice)
                under = scan.misread(sheet, dice) if layer else scan.without_text(sheet)
                scanned.add_image(jpeg, under)
            return scanned.bytes()
