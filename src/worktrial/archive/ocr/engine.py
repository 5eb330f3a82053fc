"""The neural recogniser: models from the rapidocr package, run by OpenVINO on this machine's CPU.

Only Latin characters are left in the recogniser's last layer: the models know 18,000 characters, and a
broken digit that resembles a Chinese sign is still a digit. It also saves a part of the time.
"""

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from worktrial.archive.ocr.image import Grey
from worktrial.errors import SettingError, extra

if TYPE_CHECKING:
    import openvino

HEIGHT = 48
"""Pixels of a line as the recogniser wants it."""
BAND, OVERLAP = 512, 64
"""Rows of pixels that the finder looks at together, and rows it sees beyond; multiples of 32."""
MOST_CROPS, MOST_WIDE = 24, 3072
"""Crops of a batch, and pixels of all of them side by side: what a batch needs in memory grows with both."""
MORE_SIGNS = "–—−‘’“”•·…†‡§¶°£¢¥€½¼¾×±®©"


def return_free_memory() -> None:
    """Give the system back what this process has freed, where the C library can.

    The GNU library keeps freed blocks below one still in use, for recognition hundreds of megabytes of them.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@lru_cache(maxsize=1)
def _trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    # Other C libraries for Linux lack the call.
    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return found


class PixelBox(NamedTuple):
    """Place of a piece of text, in pixels of the image."""

    x0: int
    y0: int
    x1: int
    y1: int


class CropReading(NamedTuple):
    """Text that the recogniser read in one crop."""

    text: str
    confidence: float
    """The least sure character's probability."""
    places: tuple[float, ...]
    """Centre of each character along the crop, 0-1."""
    sureness: tuple[float, ...]
    """Probability of each character."""


class Engine:
    """Finds text on a page and reads crops of it. Keep one per process: loading takes half a second."""

    def __init__(self, threads: int = 0) -> None:
        """Load the models.

        Args:
            threads: Processor threads to use; 0 for all.

        Raises:
            MissingExtra: the optional libraries for scans are not installed.
        """
        with extra("ocr", "Reading scans"):
            import openvino
            import rapidocr
        self._threads = threads or len(os.sched_getaffinity(0))
        models = Path(rapidocr.__file__).parent / "models"
        core = openvino.Core()
        options = {
            "INFERENCE_NUM_THREADS": self._threads,
            "PERFORMANCE_HINT": "LATENCY",
            "CPU_RUNTIME_CACHE_CAPACITY": 64,
        }
        self._finder = core.compile_model(core.read_model(_model(models, "det")), "CPU", options)
        reader = core.read_model(_model(models, "rec"))
        signs = ["", *reader.get_rt_info()["framework"]["character"].value.splitlines(), " "]
        kept = [i for i, sign in enumerate(signs) if i == 0 or _is_latin(sign)]
        _narrow(reader, kept)
        self._signs = [signs[i] for i in kept]
        self._class_of = {sign: i for i, sign in enumerate(self._signs) if sign}
        self._reader = core.compile_model(reader, "CPU", options)

    @property
    def signs(self) -> Sequence[str]:
        """The characters of the recogniser's classes; the first is the empty one."""
        return self._signs

    def classes(self, text: str) -> list[list[int]]:
        """Per character of a text, its class; empty when the recogniser lacks one of them."""
        found = [self._class_of.get(character) for character in text]
        return [] if None in found else [[c] for c in found if c is not None]

    def find(self, grey: Grey) -> list[PixelBox]:
        """Boxes around pieces of text lines.

        The page is looked at in overlapping bands: the network's memory grows with what it sees at once.
        """
        spans = []
        high = grey.shape[0]
        for top in range(0, high, BAND):
            start, end = max(top - OVERLAP, 0), min(top + BAND + OVERLAP, high)
            for span in self._find_in(grey[start:end]):
                middle = start + (span.y0 + span.y1) / 2
                if top <= middle < top + BAND:
                    spans.append(PixelBox(span.x0, span.y0 + start, span.x1, span.y1 + start))
        # What the finder holds, more than all that follows needs, must not lie below what follows.
        self._finder.release_memory()
        return_free_memory()
        return spans

    def _find_in(self, grey: Grey) -> list[PixelBox]:
        from rapidocr.ch_ppocr_det.utils import DBPostProcess

        high, wide = grey.shape
        # The finder's grid is 32 pixels; padding with paper keeps the scale, which stretching would not.
        padded = np.full((BAND + 2 * OVERLAP, -(-wide // 128) * 128), 255, np.uint8)
        padded[:high, :wide] = grey
        plane = (padded.astype(np.float32) / 255 - 0.5) / 0.5
        heat = self._finder(np.broadcast_to(plane, (1, 3, *plane.shape)))[0]
        after = DBPostProcess(thresh=0.3, box_thresh=0.45, max_candidates=4000, unclip_ratio=1.6, use_dilation=True)
        boxes, _ = after(heat, padded.shape)
        spans = []
        for box in boxes:
            x0, y0 = (int(v) for v in np.floor(box.min(axis=0)))
            x1, y1 = (int(v) for v in np.ceil(box.max(axis=0)))
            spans.append(PixelBox(max(x0, 0), max(y0, 0), min(x1, wide), min(y1, high)))
        return spans

    def posteriors(self, crops: Sequence[Grey]) -> list[NDArray[np.float32]]:
        """Per crop, the probability of each sign at each step along it (steps x signs)."""
        widths = [_bucket(crop.shape[1] * HEIGHT / crop.shape[0]) for crop in crops]
        found: dict[int, NDArray[np.float32]] = {}
        order = sorted(range(len(crops)), key=widths.__getitem__)
        start = 0
        while start < len(order):
            # Crops of one width together; wide lines go in small batches.
            end = start + 1
            while (
                end < len(order)
                and end - start < MOST_CROPS
                and widths[order[end]] * (end + 1 - start) <= MOST_WIDE
            ):
                end += 1
            batch = order[start:end]
            start = end
            # One width per batch; sorted by width there is little padding.
            wide = max(widths[i] for i in batch)
            planes = np.ones((len(batch), 3, HEIGHT, wide), np.float32)
            shares = []
            for place, i in enumerate(batch):
                own = min(max(round(crops[i].shape[1] * HEIGHT / crops[i].shape[0]), 1), wide)
                line = cv2.resize(crops[i], (own, HEIGHT), interpolation=_filter(crops[i]))
                planes[place, :, :, :own] = line.astype(np.float32) / 127.5 - 1
                shares.append(own / wide)
            result = self._reader(planes)[0]
            for place, i in enumerate(batch):
                steps = min(int(np.ceil(result.shape[1] * shares[place])) + 1, result.shape[1])
                found[i] = result[place, :steps].copy()
        return [found[i] for i in range(len(crops))]

    def release(self) -> None:
        """Give back what the runtime keeps between pages."""
        self._finder.release_memory()
        self._reader.release_memory()
        return_free_memory()

    def read(self, crops: Sequence[Grey], allowed: str | None = None) -> list[CropReading]:
        """Read crops that hold one piece of a line each.

        Args:
            crops: Grey images, text upright.
            allowed: Only these characters may be read; all by default.
        """
        mask = None if allowed is None else np.array([i == 0 or s in allowed for i, s in enumerate(self._signs)])
        return [self.decode(posterior, mask) for posterior in self.posteriors(crops)]

    def decode(self, posterior: NDArray[np.float32], mask: NDArray[np.bool_] | None = None) -> CropReading:
        """The likeliest text of one crop: best sign per step, repeats joined, empty steps dropped."""
        if mask is not None:
            posterior = np.where(mask, posterior, 0)
        best = posterior.argmax(axis=1)
        sure = posterior.max(axis=1)
        steps = len(best)
        text, places, sureness = [], [], []
        start = 0
        for end in range(1, steps + 1):
            if end < steps and best[end] == best[start]:
                continue
            if best[start]:
                text.append(self._signs[best[start]])
                places.append((start + end) / 2 / steps)
                sureness.append(float(sure[start:end].max()))
            start = end
        return CropReading("".join(text), min(sureness, default=0.0), tuple(places), tuple(sureness))


@lru_cache(maxsize=1)
def shared_engine(threads: int = 0) -> Engine:
    """The engine of this process."""
    return Engine(threads)


def _bucket(wide: float) -> int:
    """The next of a few widths: the runtime keeps what it prepared for every shape it has met."""
    step = 32 if wide <= 256 else 128 if wide <= 1024 else 512
    return max(int(np.ceil(wide / step)) * step, 32)


def _model(folder: Path, kind: str) -> Path:
    models = sorted(folder.glob(f"*_{kind}_*.onnx"))
    if not models:
        raise SettingError(f"the rapidocr package holds no model of kind {kind!r}: install rapidocr 3.10 again")
    return models[-1]


def _is_latin(sign: str) -> bool:
    return len(sign) == 1 and (" " <= sign <= "~" or sign in MORE_SIGNS or ("À" <= sign <= "ž" and sign.isalpha()))


def _narrow(model: "openvino.Model", kept: list[int]) -> None:
    """Cut the recogniser's last layer down to the kept classes."""
    from openvino import opset13 as ops

    result: Any = model.get_results()[0]
    softmax = result.input_value(0).get_node()
    weights: list[Any] = []

    def collect(node: Any, depth: int) -> None:
        for place in range(node.get_input_size()):
            source = node.input_value(place).get_node()
            if source.get_type_name() == "Constant" and source.data.shape and source.data.shape[-1] > len(kept):
                weights.append((node.input(place), source))
            elif depth:
                collect(source, depth - 1)

    collect(softmax, 3)
    for where, constant in weights:
        narrow = np.ascontiguousarray(constant.data[..., kept])
        where.replace_source_output(ops.constant(narrow).output(0))
    model.validate_nodes_and_infer_types()


def _filter(crop: Grey) -> int:
    return cv2.INTER_AREA if crop.shape[0] > HEIGHT else cv2.INTER_CUBIC
