"""Small PDFs written by hand: good pages, and every kind of bad file."""

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

PASSWORD = "user's secret"
_PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"


@dataclass(frozen=True)
class Sheet:
    """A page: its drawing, its size in points, an image of that many declared pixels."""

    drawing: bytes
    size: tuple[float, float] = (612, 792)
    font: bytes = _FONT
    image: tuple[int, int] | None = None


def lines(*texts: str, columns: Sequence[int] = (72, 260, 350, 440, 530)) -> Sheet:
    """A page of text; `|` moves on to the next column, whose numbers are set flush left."""
    drawing = [b"BT /F1 10 Tf"]
    for row, text in enumerate(texts):
        for column, piece in enumerate(text.split("|")):
            shown = piece.encode("cp1252").replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
            drawing.append(b"1 0 0 1 %d %d Tm (%s) Tj" % (columns[column], 720 - 16 * row, shown))
    return Sheet(b"\n".join((*drawing, b"ET")))


def table_page(title: str, *rows: str) -> Sheet:
    """A page with a title and a table of four columns, such as `1938|1,234|5,678|6,912`."""
    return lines(title, "(In millions of dollars)", "", "Year|Receipts|Other|Total", *rows)


BLANK = Sheet(b"BT ET")
"""Text operators without text: the way in which damaged copies render blank."""
NO_FONT = Sheet(b"BT /F9 10 Tf 1 0 0 1 72 700 Tm (No font of that name) Tj ET")
ZERO_SIZE = Sheet(b"BT /F1 10 Tf (nowhere) Tj ET", size=(0, 0))
BOMB = Sheet(b"q 612 0 0 792 0 0 cm /Im1 Do Q", image=(90_000, 90_000))
PICTURE = Sheet(b"q 612 0 0 792 0 0 cm /Im1 Do Q", image=(64, 64))


def pdf(*sheets: Sheet, encrypted: bool = False) -> bytes:
    """A whole file; encrypted, it opens with `PASSWORD` only."""
    objects: list[bytes] = [b"", b""]
    name = hashlib.md5(b"some file").digest()
    locks = _locks(b"owner's secret", PASSWORD.encode(), name)
    kids = []
    for sheet in sheets:
        first = len(objects) + 1
        kids.append(b"%d 0 R" % first)
        resources = b"<</Font<</F1 %s>>" % sheet.font
        if sheet.image is not None:
            resources += b"/XObject<</Im1 %d 0 R>>" % (first + 2)
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %g %g]/Resources%s>>/Contents %d 0 R>>"
            % (*sheet.size, resources, first + 1)
        )
        drawing = _rc4(_key_of(locks.key, len(objects) + 1), sheet.drawing) if encrypted else sheet.drawing
        objects.append(_stream(b"", drawing))
        if sheet.image is not None:
            wide, high = sheet.image
            # What is declared need not be there; a bomb would unpack to it.
            pixels = zlib.compress(bytes(i * 37 % 256 for i in range(min(wide * high, 4096))))
            about = b"/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray" % (wide, high)
            objects.append(_stream(about + b"/BitsPerComponent 8/Filter/FlateDecode", pixels))
    objects[0] = b"<</Type/Catalog/Pages 2 0 R>>"
    objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (b" ".join(kids), len(sheets))
    trailer = b"/Root 1 0 R"
    if encrypted:
        told = (locks.owner.hex().encode(), locks.user.hex().encode())
        objects.append(b"<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P -4>>" % told)
        trailer += b"/Encrypt %d 0 R/ID[<%s><%s>]" % (len(objects), *[name.hex().encode()] * 2)
    return _file(objects, trailer)


def _stream(about: bytes, content: bytes) -> bytes:
    return b"<<%s/Length %d>>\nstream\n%s\nendstream" % (about, len(content), content)


def _file(objects: Sequence[bytes], trailer: bytes) -> bytes:
    parts = [b"%PDF-1.4\n"]
    places = []
    size = len(parts[0])
    for number, content in enumerate(objects, 1):
        places.append(size)
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
        size += len(parts[-1])
    count = len(objects) + 1
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table))
    parts.append(b"trailer\n<</Size %d%s>>\nstartxref\n%d\n%%%%EOF\n" % (count, trailer, size))
    return b"".join(parts)


class _Locks(NamedTuple):
    owner: bytes
    user: bytes
    key: bytes


def _locks(owner: bytes, user: bytes, name: bytes) -> _Locks:
    """The two entries of the standard security handler, revision 2 (40 bits), and the key of the file."""
    padded_owner, padded_user = ((word + _PADDING)[:32] for word in (owner, user))
    lock = _rc4(hashlib.md5(padded_owner).digest()[:5], padded_user)
    key = hashlib.md5(padded_user + lock + (-4 & 0xFFFFFFFF).to_bytes(4, "little") + name).digest()[:5]
    return _Locks(lock, _rc4(key, _PADDING), key)


def _key_of(key: bytes, number: int) -> bytes:
    """Key of an object's streams, generation 0."""
    return hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[: len(key) + 5]


def _rc4(key: bytes, data: bytes) -> bytes:
    box = list(range(256))
    j = 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)
