"""Setter of made pages, run by the Python of the typesetters' environment; it knows nothing of Worktrial.

    PYTHON typeset.py FOLDER < pages.json

Each page becomes FOLDER/NAME.pdf.
"""

import html
import importlib.util
import json
import sys
from pathlib import Path

WIDTH, HEIGHT, MARGIN = 595.0, 842.0, 54.0
INNER = WIDTH - 2 * MARGIN
GUTTER = 18.0
RATIO = {"title": 1.7, "heading": 1.2, "prose": 1.0, "note": 0.85, "right": 1.0}


def korean_fonts():
    """Folder of a Korean font, which comes with a package of fonts for plots."""
    found = importlib.util.find_spec("koreanize_matplotlib")
    return Path(found.origin).parent / "fonts"


def shares(widths):
    whole = sum(widths)
    return [width / whole for width in widths]


# ---------------------------------------------------------------- typst


def set_typst(page, target):
    import typst

    font = "NanumGothic" if page["language"] == "ko" else "Libertinus Serif" if page["serif"] else "Liberation Sans"
    lines = [
        f"#set page(width: {WIDTH}pt, height: {HEIGHT}pt, margin: {MARGIN}pt)",
        f'#set text(font: ("{font}", "NanumGothic"), size: {page["size"]}pt, hyphenate: false)',
        f"#set par(justify: {str(page['serif']).lower()}, spacing: {0.9 * page['size']}pt)",
        *(typst_block(block, page) for block in page["blocks"]),
    ]
    fonts = [str(korean_fonts())] if page["language"] == "ko" else []
    typst.compile("\n\n".join(lines).encode(), output=str(target), font_paths=fonts)


def typst_text(text):
    return "#" + json.dumps(text, ensure_ascii=False)


def typst_block(block, page):
    kind = block["kind"]
    if kind == "text":
        size = RATIO[block["role"]] * page["size"]
        bold = ', weight: "bold"' if block["role"] in ("title", "heading") else ""
        set_text = f"#text(size: {size}pt{bold})[{typst_text(block['text'])}]"
        return f"#align(right)[{set_text}]" if block["role"] == "right" else set_text
    if kind == "columns":
        parts = ", ".join("[" + "\n\n".join(typst_block(b, page) for b in part) + "]" for part in block["parts"])
        fractions = ", ".join(f"{share}fr" for share in shares(block["widths"]))
        return f"#grid(columns: ({fractions}), column-gutter: {GUTTER}pt, {parts})"
    if kind == "chart":
        return typst_chart(block)
    return typst_table(block, page)


def typst_chart(block):
    marks = []
    for x, y, wide, tall, light in block["bars"]:
        marks.append(
            f"#place(dx: {x}pt, dy: {y}pt, rect(width: {wide}pt, height: {tall}pt, fill: luma({int(255 * light)})))"
        )
    for x0, y0, x1, y1 in block["strokes"]:
        marks.append(f"#place(line(start: ({x0}pt, {y0}pt), end: ({x1}pt, {y1}pt), stroke: 0.4pt))")
    for x, y, side, text in block["texts"]:
        dx = {"r": x - 60, "c": x - 30, "l": x}[side]
        way = {"r": "right", "c": "center", "l": "left"}[side]
        words = f"text(size: 7pt)[{typst_text(text)}]"
        marks.append(f"#place(dx: {dx}pt, dy: {y - 6}pt, box(width: 60pt, align({way}, {words})))")
    drawn = f"#box(width: {block['width']}pt, height: {block['height']}pt)[{''.join(marks)}]"
    return f"{drawn}\n\n#text(size: 8pt)[{typst_text(block['caption'])}]"


def typst_table(block, page):
    style = block["style"]
    widths = block["widths"]
    columns = "(" + ", ".join(f"{w}fr" for w in shares(widths)) + ")" if widths else str(len(block["align"]))
    way = {"l": "left", "r": "right", "c": "center"}
    aligns = "(" + ", ".join(way[a] for a in block["align"]) + ")"
    heads = len(block["head"])
    stroke = {"grid": "0.5pt", "lines": "(x: none, y: 0.4pt)"}.get(style, "none")
    fill = f"(x, y) => if y >= {heads} and calc.odd(y) {{ luma(225) }} else if y < {heads} {{ luma(190) }}"
    cells = []
    if style == "booktabs":
        cells.append("table.hline(stroke: 0.9pt)")
    for n, row in enumerate(block["head"]):
        column = 0
        for text, span in row:
            where = "center" if span > 1 else way[block["align"][column]]
            cells.append(f"table.cell(colspan: {span}, align: {where})[#strong[{typst_text(text)}]]")
            if style == "booktabs" and span > 1:
                cells.append(f"table.hline(start: {column}, end: {column + span}, y: {n + 1}, stroke: 0.4pt)")
            column += span
    if style == "booktabs":
        cells.append(f"table.hline(y: {heads}, stroke: 0.5pt)")
    for row in block["rows"]:
        if row["role"] == "total" and style in ("booktabs", "plain"):
            cells.append("table.hline(stroke: 0.4pt)")
        for k, text in enumerate(row["cells"]):
            inset = f"#h({row['indent'] * 10}pt)" if k == 0 and row["indent"] else ""
            words = typst_text(text)
            cells.append(f"[{inset}{f'#strong[{words}]' if row['role'] != 'item' else words}]")
    if style == "booktabs":
        cells.append("table.hline(stroke: 0.9pt)")
    filled = f", fill: {fill}" if style == "bands" else ""
    inset = f"(x: 4pt, y: {0.28 * page['size']}pt)"
    table = (
        f"#table(columns: {columns}, align: {aligns}, stroke: {stroke}, inset: {inset}{filled}, {', '.join(cells)})"
    )
    unit = f"#text(size: {0.85 * page['size']}pt)[{typst_text(block['unit'])}]" if block["unit"] else ""
    caption = f"#strong[{typst_text(block['caption'])}]" if block["caption"] else ""
    notes = [f"#text(size: {0.85 * page['size']}pt)[{typst_text(note)}]" for note in block["notes"]]
    order = [unit, table, caption, *notes] if block["below"] else [caption, unit, table, *notes]
    return "\n\n".join(part for part in order if part)


# ---------------------------------------------------------------- weasyprint


def set_weasyprint(page, target):
    import weasyprint

    family = "Nanum" if page["language"] == "ko" else "Liberation Serif" if page["serif"] else "DejaVu Sans"
    face = ""
    if page["language"] == "ko":
        for weight, name in (("normal", "NanumGothic"), ("bold", "NanumGothicBold")):
            url = (korean_fonts() / f"{name}.ttf").as_uri()
            face += f"@font-face {{ font-family: Nanum; font-weight: {weight}; src: url({url}) }}\n"
    size = page["size"] * (0.9 if family == "DejaVu Sans" else 1.0)
    css = f"""{face}
    @page {{ size: {WIDTH}pt {HEIGHT}pt; margin: {MARGIN}pt }}
    body {{ font: {size}pt/1.3 "{family}"; margin: 0; text-align: {"justify" if page["serif"] else "left"} }}
    p {{ margin: 0 0 {0.7 * size}pt 0 }}
    .title {{ font-size: 170%; font-weight: bold }} .heading {{ font-size: 120%; font-weight: bold }}
    .note {{ font-size: 85% }} .right {{ text-align: right; margin: 0 }}
    table {{ border-collapse: collapse; margin-bottom: {size}pt; text-align: left }}
    td, th {{ padding: {0.2 * size}pt 4pt; vertical-align: top }}
    .grid td, .grid th {{ border: .5pt solid black }}
    .lines td, .lines th {{ border-top: .4pt solid black; border-bottom: .4pt solid black }}
    .bands th {{ background: #bbb }} .bands tr:nth-child(even) td {{ background: #e4e4e4 }}
    .booktabs {{ border-top: .9pt solid black; border-bottom: .9pt solid black }}
    .booktabs tr.last th {{ border-bottom: .5pt solid black }}
    .booktabs th.span {{ border-bottom: .4pt solid black }}
    .booktabs tr.total td, .plain tr.total td {{ border-top: .4pt solid black }}
    .beside {{ display: flex }}
    tr.section td, tr.total td {{ font-weight: bold }}
    """
    body = "".join(html_block(block, INNER) for block in page["blocks"])
    document = f"<html lang={page['language']}><head><style>{css}</style></head><body>{body}</body></html>"
    weasyprint.HTML(string=document).write_pdf(str(target))


def html_block(block, width):
    kind = block["kind"]
    if kind == "text":
        return f"<p class={block['role']}>{html.escape(block['text'])}</p>"
    if kind == "columns":
        room = width - GUTTER * (len(block["parts"]) - 1)
        made = ""
        for n, (part, share) in enumerate(zip(block["parts"], shares(block["widths"]), strict=True)):
            inner = "".join(html_block(b, share * room) for b in part)
            left = f"margin-left: {GUTTER}pt;" if n else ""
            made += f'<div style="{left} width: {share * room}pt">{inner}</div>'
        return f"<div class=beside>{made}</div>"
    if kind == "chart":
        return html_chart(block)
    return html_table(block, width)


def html_chart(block):
    marks = ""
    for x, y, wide, tall, light in block["bars"]:
        grey = int(255 * light)
        marks += f'<rect x="{x}" y="{y}" width="{wide}" height="{tall}" fill="rgb({grey},{grey},{grey})"/>'
    for x0, y0, x1, y1 in block["strokes"]:
        marks += f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="black" stroke-width="0.4"/>'
    anchor = {"r": "end", "c": "middle", "l": "start"}
    for x, y, side, text in block["texts"]:
        marks += f'<text x="{x}" y="{y}" font-size="7" text-anchor="{anchor[side]}">{html.escape(text)}</text>'
    wide, tall = block["width"], block["height"]
    drawn = f'<svg width="{wide}pt" height="{tall}pt" viewBox="0 0 {wide} {tall}">{marks}</svg>'
    return f"<div>{drawn}</div><p class=note>{html.escape(block['caption'])}</p>"


def html_table(block, width):
    way = {"l": "left", "r": "right", "c": "center"}
    made = ""
    for n, row in enumerate(block["head"]):
        cells, column = "", 0
        for text, span in row:
            where = "center" if span > 1 else way[block["align"][column]]
            cls = " class=span" if span > 1 else ""
            cells += f'<th{cls} colspan={span} style="text-align: {where}">{html.escape(text)}</th>'
            column += span
        made += f"<tr{' class=last' if n == len(block['head']) - 1 else ''}>{cells}</tr>"
    for row in block["rows"]:
        cells = ""
        for k, text in enumerate(row["cells"]):
            inset = f"; padding-left: {4 + 10 * row['indent']}pt" if k == 0 and row["indent"] else ""
            cells += f'<td style="text-align: {way[block["align"][k]]}{inset}">{html.escape(text)}</td>'
        made += f"<tr class={row['role']}>{cells}</tr>"
    columns = "".join(f'<col style="width: {share * width}pt">' for share in shares(block["widths"] or ()))
    caption = (
        f"<p style='margin-bottom: 3pt'><b>{html.escape(block['caption'])}</b></p>" if block["caption"] else ""
    )
    unit = f"<p class=note style='margin-bottom: 3pt'>{html.escape(block['unit'])}</p>" if block["unit"] else ""
    notes = "".join(f"<p class=note>{html.escape(note)}</p>" for note in block["notes"])
    table = f"<table class={block['style']}>{columns}{made}</table>"
    return unit + table + caption + notes if block["below"] else caption + unit + table + notes


# ---------------------------------------------------------------- reportlab


def set_reportlab(page, target):
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.platypus import SimpleDocTemplate

    fonts = ("Times-Roman", "Times-Bold") if page["serif"] else ("Helvetica", "Helvetica-Bold")
    if page["language"] == "ko":
        fonts = ("NanumGothic", "NanumGothicBold")
        for name in fonts:
            pdfmetrics.registerFont(TTFont(name, str(korean_fonts() / f"{name}.ttf")))
    document = SimpleDocTemplate(
        str(target), pagesize=(WIDTH, HEIGHT), leftMargin=MARGIN, rightMargin=MARGIN, topMargin=MARGIN,
        bottomMargin=MARGIN,
    )  # fmt: skip
    # A frame keeps six points for itself on either side.
    document.build(flow(page["blocks"], page, fonts, INNER - 12))


def flow(blocks, page, fonts, width):
    from reportlab.platypus import Spacer

    made = []
    for block in blocks:
        kind = block["kind"]
        if kind == "text":
            made.append(paragraph(block["text"], page, fonts, block["role"]))
        elif kind == "columns":
            made.append(side_by_side(block, page, fonts, width))
        elif kind == "chart":
            made += [drawing(block), paragraph(block["caption"], page, fonts, "note")]
        else:
            made += platypus_table(block, page, fonts, width)
        made.append(Spacer(1, 0.6 * page["size"]))
    return made


def paragraph(text, page, fonts, role="prose", bold=False, align=None, indent=0):
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Paragraph

    size = RATIO[role] * page["size"]
    chosen = {"l": 0, "c": 1, "r": 2}[align] if align else 2 if role == "right" else 4 if page["serif"] else 0
    style = ParagraphStyle(
        "made", fontName=fonts[1] if bold or role in ("title", "heading") else fonts[0], fontSize=size,
        leading=1.25 * size, alignment=chosen, leftIndent=indent,
        wordWrap="CJK" if page["language"] == "ko" else None,
    )  # fmt: skip
    return Paragraph(html.escape(text), style)


def side_by_side(block, page, fonts, width):
    from reportlab.platypus import Table

    room = width - GUTTER * (len(block["parts"]) - 1)
    cells, widths = [], []
    for n, (part, share) in enumerate(zip(block["parts"], shares(block["widths"]), strict=True)):
        if n:
            cells.append("")
            widths.append(GUTTER)
        cells.append(flow(part, page, fonts, share * room))
        widths.append(share * room)
    plain = [
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("RIGHTPADDING", (0, 0), (-1, -1), 0),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]
    return Table([cells], colWidths=widths, style=plain)


def drawing(block):
    from reportlab.graphics.shapes import Drawing, Line, Rect, String
    from reportlab.lib.colors import Color

    tall = block["height"]
    made = Drawing(block["width"], tall)
    made.hAlign = "LEFT"
    for x, y, wide, high, light in block["bars"]:
        made.add(Rect(x, tall - y - high, wide, high, fillColor=Color(light, light, light), strokeWidth=0))
    for x0, y0, x1, y1 in block["strokes"]:
        made.add(Line(x0, tall - y0, x1, tall - y1, strokeWidth=0.4))
    anchor = {"r": "end", "c": "middle", "l": "start"}
    for x, y, side, text in block["texts"]:
        made.add(String(x, tall - y, text, fontSize=7, textAnchor=anchor[side]))
    return made


def platypus_table(block, page, fonts, width):
    from reportlab.lib import colors
    from reportlab.platypus import Table

    style, heads, columns = block["style"], len(block["head"]), len(block["align"])
    rows, looks = (
        [],
        [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("TOPPADDING", (0, 0), (-1, -1), 1.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
        ],
    )
    looks.append(("FONT", (0, 0), (-1, -1), fonts[0], page["size"], 1.2 * page["size"]))
    looks.append(("FONT", (0, 0), (-1, heads - 1), fonts[1], page["size"], 1.2 * page["size"]))
    way = {"l": "LEFT", "r": "RIGHT", "c": "CENTER"}
    for k, side in enumerate(block["align"]):
        looks.append(("ALIGN", (k, 0), (k, -1), way[side]))
    for r, row in enumerate(block["head"]):
        cells = []
        for text, span in row:
            if span > 1:
                looks.append(("SPAN", (len(cells), r), (len(cells) + span - 1, r)))
                looks.append(("ALIGN", (len(cells), r), (len(cells), r), "CENTER"))
                if style == "booktabs":
                    looks.append(("LINEBELOW", (len(cells), r), (len(cells) + span - 1, r), 0.4, colors.black))
            cells += [text, *[""] * (span - 1)]
        rows.append(cells)
    widths = [share * width for share in shares(block["widths"])] if block["widths"] else None
    for r, row in enumerate(block["rows"], heads):
        bold = row["role"] != "item"
        cells = list(row["cells"])
        if widths:
            cells = [
                paragraph(text, page, fonts, "prose", bold, block["align"][k], 10 * row["indent"] if k == 0 else 0)
                for k, text in enumerate(cells)
            ]
        elif bold:
            looks.append(("FONT", (0, r), (-1, r), fonts[1], page["size"], 1.2 * page["size"]))
        if row["role"] == "total" and style in ("booktabs", "plain"):
            looks.append(("LINEABOVE", (0, r), (-1, r), 0.4, colors.black))
        if style == "bands" and r % 2:
            looks.append(("BACKGROUND", (0, r), (-1, r), colors.Color(0.88, 0.88, 0.88)))
        rows.append(cells)
    if style == "grid":
        looks.append(("GRID", (0, 0), (-1, -1), 0.5, colors.black))
    elif style == "lines":
        looks += [
            ("LINEABOVE", (0, 0), (-1, 0), 0.4, colors.black),
            ("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.black),
        ]
    elif style == "bands":
        looks.append(("BACKGROUND", (0, 0), (-1, heads - 1), colors.Color(0.73, 0.73, 0.73)))
    elif style == "booktabs":
        looks += [
            ("LINEABOVE", (0, 0), (-1, 0), 0.9, colors.black),
            ("LINEBELOW", (0, heads - 1), (-1, heads - 1), 0.5, colors.black),
            ("LINEBELOW", (0, -1), (-1, -1), 0.9, colors.black),
        ]
    table = Table(rows, colWidths=widths, style=looks, hAlign="LEFT")
    assert columns == len(rows[0])
    caption = [paragraph(block["caption"], page, fonts, bold=True)] if block["caption"] else []
    unit = [paragraph(block["unit"], page, fonts, "note")] if block["unit"] else []
    notes = [paragraph(note, page, fonts, "note") for note in block["notes"]]
    return [*unit, table, *caption, *notes] if block["below"] else [*caption, *unit, table, *notes]


def main():
    folder = Path(sys.argv[1])
    setters = {"typst": set_typst, "weasyprint": set_weasyprint, "reportlab": set_reportlab}
    for page in json.load(sys.stdin):
        setters[page["typesetter"]](page, folder / f"{page['name']}.pdf")


if __name__ == "__main__":
    main()
