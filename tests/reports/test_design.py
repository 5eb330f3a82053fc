"""The look: sizes and colours of the style sheets are those of the design page, and reach what it says."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import worktrial
from worktrial.reports.viewer.pages import assets

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "design.md").read_text("utf-8")
STYLES = {name: content.decode() for name, content in assets() if name.endswith(".css")}
SITE = STYLES["site.css"]
REVIEW = (Path(worktrial.__file__).parent / "synthesis" / "review" / "templates" / "review.css").read_text("utf-8")

Vector = NDArray[np.float64]
_PAIR = re.compile(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)")

# Machado, Oliveira and Fernandes (2009), severity 1: linear RGB as seen without red, green or blue cones.
_BLIND = {
    "nothing": np.eye(3),
    "red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
    "blue": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]
    ),
}
# sRGB to CIE XYZ under D65, relative to white.
_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = np.array([0.9505, 1.0, 1.089])


def _pairs(style: str) -> dict[str, tuple[str, str]]:
    return {name: (light, dark) for name, light, dark in _PAIR.findall(style)}


def _linear(colour: str) -> Vector:
    channels = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def _contrast(one: str, other: str) -> float:
    """Contrast by WCAG 2: 1 to 21."""
    low, high = sorted(float(_linear(colour) @ _XYZ[1]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def _lab(linear: Vector) -> Vector:
    ratios = _XYZ @ np.clip(linear, 0, 1) / _WHITE
    f = np.where(ratios > 0.008856, np.cbrt(ratios), 7.787 * ratios + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def _documented() -> Iterator[tuple[str, tuple[str, str], float | None]]:
    row = re.compile(r"^\| `([\w-]+)` \| (#\w{6}) \| (#\w{6}) \| [^|]+ \| ([\d.]*) ?\|$", re.MULTILINE)
    for name, light, dark, least in row.findall(PAGE):
        yield name, (light, dark), float(least) if least else None


def test_colours_are_as_documented_and_reach_their_contrast() -> None:
    pairs, told = _pairs(SITE), list(_documented())
    assert len(told) == 10
    for name, documented, least in told:
        assert pairs[name] == documented, name
        for mode in (0, 1):
            for ground in ("ground", "raised"):
                found = _contrast(documented[mode], pairs[ground][mode])
                assert least is None or found >= least, (name, ground, mode, found)
    undocumented = {name for name in pairs if not any(name == one for one, _, _ in told)}
    assert undocumented == {"rule", "accent-soft"}, "lines between rows, and a ground"
    for mode in (0, 1):
        assert _contrast(pairs["ink"][mode], pairs["accent-soft"][mode]) >= 4.5


def test_contrast_is_computed_as_defined() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_the_review_of_a_synthesis_looks_the_same() -> None:
    pairs, review = _pairs(SITE), _pairs(REVIEW)
    same = {"good": "pass", "bad": "fail", "unsure": "invalid"}
    shared = [name for name in review if same.get(name, name) in pairs]
    assert len(shared) >= 10
    assert {name: review[name] for name in shared} == {name: pairs[same.get(name, name)] for name in shared}


def test_sizes_are_of_the_scale() -> None:
    documented = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+rem) \|", PAGE, re.MULTILINE))
    assert len(documented) == 6
    for name, size in documented.items():
        assert f"--{name}: {size};" in SITE
    # Sizes within a line or a chart, and those of paper.
    beside = re.compile(r"inherit|0\.\d+em|1em|1[125]px|[\d.]+pt")
    for name, style in STYLES.items():
        for size in re.findall(r"font-size: ([^;}]+)", style):
            scaled = re.fullmatch(r"var\(--(\w+)\)", size)
            assert (scaled and scaled[1] in documented) or beside.fullmatch(size), (name, size)
