"""Letters with accents, by the language of the page."""

from worktrial.archive.ocr.engine import _is_latin
from worktrial.archive.ocr.letters import settle_letters
from worktrial.archive.pages import Box, Word

PLACE = Box(0.0, 0.0, 10.0, 10.0)


def words(text: str) -> list[Word]:
    return [Word(one, PLACE, 8.0, confidence=0.9) for one in text.split()]


def test_a_page_in_german_or_french_keeps_its_accents() -> None:
    for text in ("Größe der Löhne und Gehälter für Straßen", "Réparations et dépenses à la méthode"):
        assert [word.text for word in settle_letters(words(text))] == text.split()


def test_specks_over_the_letters_of_an_english_page_go_and_their_reading_stays_on_record() -> None:
    text = "receipts of the trust fund and other accounts " * 20
    settled = settle_letters([*words(text), *words("Mîscellanéous Œuvre 1,204 £5")])
    assert [word.text for word in settled[-4:]] == ["Miscellaneous", "OEuvre", "1,204", "£5"]
    assert settled[-4].alternatives == ("Mîscellanéous",) and settled[-2].alternatives == ()


def test_the_recogniser_keeps_latin_letters_and_no_signs_of_calculation() -> None:
    assert all(map(_is_latin, "ßäÉœŁž")) and not any(map(_is_latin, "÷가漢"))
