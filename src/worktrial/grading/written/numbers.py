"""Numbers as people write them: the one reader of numbers in prose.

Understood: groups of three after comma, space or apostrophe (`1,234`, `1 234`, `1'234`), decimals, decimal commas
where nothing else is possible (`12,5`, `1.234,50`), accounting negatives (`(5)`, `△5`), any dash as a minus,
`minus 5`, powers (`1.2e6`, `1.2 x 10^6`), fractions (`1/2`, `3 1/2`, `3분의 2`, and the `99-16/32` of bond
quotations), Korean myriads (`1만 2천`, `3억 5,000만`, `3억5천`), Indian groups (`1,23,456`), and numbers in words
(`twenty-four`, `세 개`, `이천칠백`, `사흘`).
Other groups (`1,2,3`) are no number.

A `WrittenNumber` says what is written and how. What it means is for the caller: whether a number in an identifier
counts, whether `3m` is three million, whether a bracket is a minus.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from worktrial.grading.written.form import WrittenForm, ignoring_case

_LONGEST = 60  # digits of a number; a longer one is no figure of anybody's
_MOST_POWER = 60
CURRENCIES = {
    **{"$": "$", "us$": "$", "usd": "$", "€": "€", "eur": "€", "£": "£", "gbp": "£", "¥": "¥", "jpy": "¥"},
    **{"₩": "₩", "krw": "₩", "cny": "CNY", "chf": "CHF", "cad": "CAD", "aud": "AUD"},
}
SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SCALE_LETTERS = {"k": 10**3, "m": 10**6, "mm": 10**6, "b": 10**9, "t": 10**12}
SCALE_SHORT = {"mn": 10**6, "mln": 10**6, "bn": 10**9, "tn": 10**12}

_SIGNS = "$€£¥₩"
# "5만큼" is as much as 5, "3조" may be the third team.
_PART = r"(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d{1,9})?"
_MYRIAD_SIGN = r"(?:[십백천]?[만억](?!큼|족)|백(?!신|화)|천(?!연)|십|조(?=\s?[\d원달유]))"
_NUMERAL = ignoring_case(
    r"""(?x)
    (?:(?<![\w.,/^])|(?<=[ㄱ-힣]))  # a Korean word may touch a number
    (?P<sign>[-+](?!\s)|(?<![^\n])[-+]\s|(?:minus|negative)\s
      |(?:마이너스|영하|[△▲])\s?)?  # \"a - 5\" is a dash, not a minus
    (?P<currency>(?:US\$|(?:USD|EUR|GBP|JPY|KRW|CNY|CHF|CAD|AUD)(?!-)|[SIGNS])\s?)?
    (?P<open>\(\s?(?:(?:US\$|[SIGNS])\s?)?)?
    (?P<inner>[-+△▲])?
    (?P<late>[SIGNS])?
    (?:
        (?P<whole>\d{1,12})[\s-](?P<part>\d{1,9})/(?P<of>\d{1,9})
      | (?P<parts>\d{1,9})\s?분의\s?(?P<share>\d{1,9})
      | (?P<above>\d{1,18}(?:\.\d{1,9})?)/(?P<below>\d{1,18}(?:\.\d{1,9})?)
      | (?P<myriads>(?:PART MYRIAD\s?){1,6}(?:PART)?)
      | (?P<continental>\d{1,3}(?:(?:\.\d{3})+|(?:\ \d{3})+),\d{1,9}|\d{1,3}(?:\.\d{3}){2,}
          |\d{1,18},(?:\d\d?|\d{4,9}))(?!\d|[.,]\d)
      | (?P<indian>[1-9]\d?(?:,\d\d)+,\d{3}(?:\.\d{1,9})?)
      | (?P<digits>(?:[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\ \d{3})+|(?:'\d{3})+)|\d+)(?:\.\d+|\.(?![^\W_]))?|\.\d+)
        (?:[eE](?P<power>[-+]?\d{1,4})(?!\w)|\s?[x*]\s?10(?:\^|\*\*)\(?(?P<tens>[-+]?\d{1,4})\)?)?
    )
    (?P<close>\s?\))?
    (?!\d|[.,'/^_]\d|_)
    """.replace("SIGNS", _SIGNS)
    .replace("MYRIAD", _MYRIAD_SIGN)
    .replace("PART", _PART)
)
_MINUS = ("-", "minus", "negative", "마이너스", "영하", "△", "▲")
_TOUCHING = re.compile(r"[^\W\d_]*")
_NAMED = re.compile(r"(?:(?![ㄱ-힣])[^\W\d_]-|#|№\s?)$")


class WrittenNumber(NamedTuple):
    """A number, where it stands and how it is written."""

    value: Fraction
    """Value with its sign, without scale or percent."""
    start: int
    end: int
    currency: str | None = None
    """Currency, as in `CURRENCIES`, where a sign or code stands before it."""
    parenthesised: bool = False
    """Accounting style: the value is negative already."""
    bare: bool = False
    """Nothing but digits: no sign, separator, point, currency."""
    places: int = 0
    """Decimals that are written."""
    touching: str = ""
    """Letters that follow without a space: `kg`, `th`, `원을`."""
    after_hyphen: bool = False
    """Second part of a range or of a chain of digits: the 6 of `5-6`."""
    named: bool = False
    """Part of an identifier: the 104 of `P-104`, the 7 of `#7`."""
    other_groups: bool = False
    """Whether its groups or its decimal sign are not the English ones: `1.234,50`, `12,5`, `1,23,456`."""
    worded: bool = False
    """Whether it is in words, wholly or with Korean myriads."""
    over: Fraction | None = None
    """Number above the bar, where it is a fraction: 8 of `8/10`, 3.03 of `3.03/4.00`."""
    loose_sign: bool = False
    """A dash and a space at the beginning of a line: a minus, or a bullet."""


@lru_cache(maxsize=512)  # reading one answer asks for the same few texts again and again
def numbers(text: str) -> tuple[WrittenNumber, ...]:
    """The numbers in `text` (spelled as `one_spelling` does), in reading order."""
    found = [number for match in _NUMERAL.finditer(text) if (number := _number(match)) is not None]
    taken = bytearray(len(text))
    for number in found:
        taken[number.start : number.end] = b"1" * (number.end - number.start)
    found += [one for one in _worded(text) if not any(taken[one.start : one.end])]
    return tuple(sorted(found, key=lambda number: number.start))


def possible_scales(number: WrittenNumber, text: str) -> tuple[int, ...]:
    """Powers of ten that the word or letter behind a number may stand for, the plain reading first.

    `5 million` is (10**6,), `5k` is (1, 1000), `5 kg` is (1,).
    """
    found = _SCALE.match(text, number.end)
    if found is None:
        return (1,)
    if found["letter"]:
        return 1, SCALE_LETTERS[found["letter"].lower()]
    scale = 1
    for word in found["words"].lower().split():
        scale *= SCALES.get(word.removesuffix("s")) or SCALE_SHORT[word]
    return (scale,)


_SCALE = re.compile(
    rf"\s?(?:(?P<letter>mm|[kmbt])(?![A-Za-z0-9_²³^])"
    rf"|(?P<words>(?:(?:{'|'.join(SCALES)})s?|{'|'.join(SCALE_SHORT)})(?:\s(?:{'|'.join(SCALES)})s?)*)(?![A-Za-z0-9_]))",
    re.IGNORECASE,
)


def _number(found: re.Match[str]) -> WrittenNumber | None:
    value = _value(found)
    if value is None:
        return None
    signs = [(mark or "").strip().lower() for mark in found.group("sign", "inner")]
    negative = sum(sign in _MINUS for sign in signs)
    opened = found["open"] is not None
    text, (start, end) = found.string, found.span()
    # "(5 million)": the bracket closes after the unit.
    closed = found["close"] is not None or ")" in text[end:]
    if opened and not closed:
        return None
    year = (found["digits"] or "").isdigit() and len(found["digits"]) == 4 and 1800 <= value <= 2100
    if opened and (negative or (year and "$" not in found[0])):
        opened = False  # "(-5)" is negative once, and "(1953)" is rather a year than a loss
    mark = (found["currency"] or found["late"] or (found["open"] or "").strip("( ") or "").strip().lower()
    point = "," if found["continental"] else "."
    decimals = (found["continental"] or found["indian"] or found["digits"] or "").partition(point)[2]
    return WrittenNumber(
        -value if negative + opened == 1 else value,
        start,
        end,
        CURRENCIES.get(mark),
        parenthesised=opened,
        bare=found[0].isdigit(),
        places=len(decimals),
        touching=_TOUCHING.match(text, end)[0],  # type: ignore[index]  # it matches the empty string, too
        after_hyphen=start > 1 and text[start - 1] == "-" and text[start - 2].isdigit(),
        named=_NAMED.search(text[max(0, start - 3) : start]) is not None,
        other_groups=found["continental"] is not None or found["indian"] is not None,
        worded=found["myriads"] is not None,
        over=Fraction(found["above"]) if found["above"] else None,
        loose_sign=(found["sign"] or "")[1:] == " " and found["sign"] != "+ ",
    )


def _value(found: re.Match[str]) -> Fraction | None:
    if found["of"] is not None:
        part = _ratio(found["part"], found["of"])
        return None if part is None else int(found["whole"]) + part
    if found["share"] is not None:
        return _ratio(found["share"], found["parts"])
    if found["below"] is not None:
        return _ratio(found["above"], found["below"])
    if found["myriads"] is not None:
        return _myriads(found["myriads"], found.string[found.end() :])
    if found["continental"] is not None:
        return Fraction(re.sub(r"[. ]", "", found["continental"]).replace(",", "."))
    digits = re.sub(r"[, ']", "", found["digits"] or found["indian"])
    power = int(found["power"] or found["tens"] or 0)
    if len(digits) > _LONGEST or abs(power) > _MOST_POWER:
        return None
    value = Fraction(digits.rstrip("."))
    return value * Fraction(10) ** power if power else value


def _ratio(above: str, below: str) -> Fraction | None:
    return Fraction(above) / Fraction(below) if Fraction(below) else None


_HAN = {"십": 10, "백": 10**2, "천": 10**3, "만": 10**4, "억": 10**8, "조": 10**12}
_MYRIAD = re.compile(r"(?P<digits>\d[\d,]*(?:\.\d+)?)(?P<units>[십백천만억조]*)")


def _myriads(text: str, behind: str = "") -> Fraction | None:
    """Value of `1만 2천`, `3억 5,000만`; None where a part is not smaller than the one before it."""
    # Whoever leaves out the won of 3억5천 leaves out the 만 with it.
    if re.search(r"억\s?\d+[천백]$", text) and not re.match(r"\s?원", behind):
        text += "만"
    total, last = Fraction(0), None
    for part in _MYRIAD.finditer(text):
        value, unit = Fraction(part["digits"].replace(",", "")), 1
        for sign in part["units"]:
            unit *= _HAN[sign]
        value *= unit
        if last is not None and value >= last:
            return None
        total, last = total + value, unit
    return total


_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_ONES = {word: value for value, word in enumerate([*_COUNTED.split(), "seventeen", "eighteen", "nineteen"])}
_TENTHS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_TENS = {word: 10 * value for value, word in enumerate(_TENTHS, 2)}
_SMALL = rf"(?:(?:{'|'.join(_TENS)})(?:[-\s](?:{'|'.join(list(_ONES)[1:10])}))?|{'|'.join(reversed(_ONES))})"
_LARGE = "thousand|million|billion|trillion"
_HUNDREDS = rf"(?:(?:{_SMALL}|a)\shundred(?:\s(?:and\s)?{_SMALL})?|{_SMALL}|a(?=\s(?:{_LARGE})\b))"
_WORDS = re.compile(
    rf"(?<![\w.-])(?:(?P<sign>minus|negative)\s)?"
    rf"(?P<words>(?:{_HUNDREDS}\s(?:{_LARGE}),?\s(?:and\s)?)*{_HUNDREDS}(?:\s(?:{_LARGE}))?)"
    rf"(?:\spoint(?P<point>(?:\s(?:{'|'.join(_ONES)}))+))?(?![\w-])",
    re.IGNORECASE,
)
# "one" is a number of things, or stands for something.
_ONE_BEFORE = re.compile(
    r"\b(?:no|any|every|some|each|this|that|which|another|the|other|only|last|next|first)\s$", re.IGNORECASE
)
_ONE_AFTER = re.compile(r"\s(?:of|another|by|who|that)\b", re.IGNORECASE)
_SINO = {"영": 0, "일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9}
_SINO_UNITS = "일|년|원|유로|달러|엔|개|건|분|점|명|장|대|웰|퍼센트|%|킬로|밀리|마이크로|리터|미터|세제곱"
_SINO_WORD = WrittenForm(
    r"(?<![가-힣])(?!만일|천만에)"
    r"(?P<words>(?:[일이삼사오육칠팔구]?[십백천만억](?:(?<=[만억])\s(?=[일이삼사오육칠팔구]?[십백천]))?)+[일이삼사오육칠팔구]?)"
    rf"(?=\s?(?:{_SINO_UNITS})|(?<=..)(?<!이만)(?:\s|[.,)]|$))",
    "[십백천만억]",
)
_TEN_WORDS = ("열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_NATIVE_TENS = {"스무": 20, **{word: 10 * value for value, word in enumerate(_TEN_WORDS, 1)}}
_ONE_WORDS = ("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_NATIVE_ONES = {**{word: value for value, word in enumerate(_ONE_WORDS, 1)}, "석": 3, "넉": 4}
_DAY_WORDS = ("하루", "이틀", "사흘", "나흘", "닷새", "엿새", "이레", "여드레", "아흐레", "열흘")
_DAYS = re.compile(rf"(?<![가-힣])(?:{'|'.join(_DAY_WORDS)})")
_NONE_AT_ALL = re.compile(r"(?<![가-힣])(?:하나|한\s?[가-힣]{1,3})도\s?(?=없|안\s|못)")
_COUNTERS = "달|주일|개|명|건|대|장|곳|가지|시간|번|통|병|권|마리|군데|웰|칸|자리|벌|묶음|상자|드럼"
_NATIVE = WrittenForm(
    rf"(?<![가-힣])(?P<tens>{'|'.join(_NATIVE_TENS)})?(?P<ones>{'|'.join(_NATIVE_ONES)})?(?<=[가-힣])\s?(?={_COUNTERS})",
    "|".join([*_NATIVE_TENS, *_NATIVE_ONES]),
)


def _worded(text: str) -> Iterator[WrittenNumber]:
    for found in _WORDS.finditer(text):
        start, end = found.span()
        alone = found["words"].lower() == "one"
        if alone and (_ONE_BEFORE.search(text, max(0, start - 12), start) or _ONE_AFTER.match(text, end)):
            continue
        value = _in_words(found["words"].lower())
        digits = [str(_ONES[word]) for word in (found["point"] or "").lower().split()]
        number = Fraction(f"{value}.{''.join(digits) or 0}")
        yield WrittenNumber(-number if found["sign"] else number, *found.span(), places=len(digits), worded=True)
    none = [found.span() for found in _NONE_AT_ALL.finditer(text)]
    yield from (WrittenNumber(Fraction(0), *span, worded=True) for span in none)
    for found in _DAYS.finditer(text):
        yield WrittenNumber(Fraction(_DAY_WORDS.index(found[0]) + 1), *found.span(), worded=True)
    for found in _SINO_WORD.finditer(text):
        yield WrittenNumber(Fraction(sino(found["words"])), *found.span("words"), worded=True)
    for found in _NATIVE.finditer(text):
        if (found["tens"] or found["ones"]) and all(found.start() != start for start, _ in none):
            count = _NATIVE_TENS.get(found["tens"] or "", 0) + _NATIVE_ONES.get(found["ones"] or "", 0)
            yield WrittenNumber(Fraction(count), found.start(), len(found[0].rstrip()) + found.start(), worded=True)


def _in_words(phrase: str) -> int:
    total = part = 0
    for word in re.findall(r"[a-z]+", phrase):
        if word == "hundred":
            part *= 100
        elif word in SCALES:
            total, part = total + part * SCALES[word], 0
        elif word != "and":
            part += 1 if word == "a" else _ONES.get(word, _TENS.get(word, 0))
    return total + part


def sino(word: str) -> int:
    """Value of a Korean numeral such as `칠만 팔천구백`."""
    total = part = digit = 0
    for sign in word.replace(" ", ""):
        if sign in _SINO:
            digit = _SINO[sign]
        elif _HAN[sign] < 10**4:
            part, digit = part + (digit or 1) * _HAN[sign], 0
        else:
            total, part, digit = total + (part + digit or 1) * _HAN[sign], 0, 0
    return total + part + digit
