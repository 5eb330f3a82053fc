"""Writes small PDF files by hand: text in the standard fonts, lines, images; and files with something wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_FONTS = {"F1": "Helvetica", "F2": "Helvetica-Bold", "F3": "Times-Roman"}


@dataclass
class Sheet:
    """One page; coordinates are points from the top left."""

    width: float = 612
    height: float = 792
    rotate: int = 0
    crop: tuple[float, float, float, float] | None = None
    content: list[str] = field(default_factory=list)
    image: tuple[int, int] | None = None
    """Pixels of a gray image over the whole page, or of one that claims to be so large."""
    pixels: bytes | None = None

    def text(self, x: float, y: float, text: str, size: float = 8, font: str = "F1") -> "Sheet":
        """Put text on a baseline."""
        shown = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        self.content.append(f"BT /{font} {size} Tf 1 0 0 1 {x} {self.height - y} Tm ({shown}) Tj ET")
        return self

    def upwards(self, x: float, y: float, text: str, size: float = 8) -> "Sheet":
        """Put text that runs up the page."""
        self.content.append(f"BT /F1 {size} Tf 0 1 -1 0 {x} {self.height - y} Tm ({text}) Tj ET")
        return self

    def pieces(self, x: float, y: float, pieces: Sequence[str | float], size: float = 8) -> "Sheet":
        """Text with kerning between its pieces, in thousandths of the font size; positive moves back."""
        shown = " ".join(f"({piece})" if isinstance(piece, str) else str(piece) for piece in pieces)
        self.content.append(f"BT /F1 {size} Tf 1 0 0 1 {x} {self.height - y} Tm [{shown}] TJ ET")
        return self

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.6) -> "Sheet":
        """Draw a stroke."""
        self.content.append(f"{width} w {x0} {self.height - y0} m {x1} {self.height - y1} l S")
        return self

    def box(self, x0: float, y0: float, x1: float, y1: float) -> "Sheet":
        """Draw a frame."""
        self.content.append(f"0.6 w {x0} {self.height - y1} {x1 - x0} {y1 - y0} re S")
        return self


def write_pdf(path: Path, sheets: Sequence[Sheet]) -> Path:
    """Write the pages as a PDF and return its path."""
    objects: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    fonts = []
    for name, base in _FONTS.items():
        objects.append(f"<< /Type /Font /Subtype /Type1 /BaseFont /{base} /Encoding /WinAnsiEncoding >>".encode())
        fonts.append(f"/{name} {len(objects)} 0 R")
    kids = []
    for sheet in sheets:
        resources = f"/Font << {' '.join(fonts)} >>"
        content = "\n".join(sheet.content)
        if sheet.image:
            wide, high = sheet.image
            pixels = sheet.pixels if sheet.pixels is not None else bytes(range(256)) * 4
            head = f"<< /Type /XObject /Subtype /Image /Width {wide} /Height {high} /BitsPerComponent 8"
            head += f" /ColorSpace /DeviceGray /Length {len(pixels)} >>"
            objects.append(head.encode() + b"\nstream\n" + pixels + b"\nendstream")
            resources += f" /XObject << /I1 {len(objects)} 0 R >>"
            content = f"q {sheet.width} 0 0 {sheet.height} 0 0 cm /I1 Do Q\n" + content
        stream = content.encode("cp1252")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n".encode() + stream + b"\nendstream")
        crop = f" /CropBox [{' '.join(map(str, sheet.crop))}]" if sheet.crop else ""
        turn = f" /Rotate {sheet.rotate}" if sheet.rotate else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {sheet.width} {sheet.height}]{crop}{turn}"
            f" /Resources << {resources} >> /Contents {len(objects)} 0 R >>".encode()
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>".encode()
    path.write_bytes(_file(objects, ""))
    return path


def write_encrypted(path: Path) -> Path:
    """Write a PDF that wants a password which nobody knows."""
    key = "<" + "ab" * 32 + ">"
    lock = f"<< /Filter /Standard /V 1 /R 2 /O {key} /U {key} /P -4 >>".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>",
        lock,
    ]
    path.write_bytes(_file(objects, "/Encrypt 4 0 R /ID [<00><00>]"))
    return path


def _file(objects: Sequence[bytes], trailer: str) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
