from pathlib import Path

import pytest
from jinja2 import UndefinedError

from worktrial.language.templates import templates


def test_plain_text_without_the_lines_of_blocks(tmp_path: Path) -> None:
    (tmp_path / "said.j2").write_text("{{ name }} says:\n  {% if loud %}\n<HEY>\n  {% endif %}\n- {{ text }}\n")
    said = templates(tmp_path).get_template("said.j2")
    assert said.render(name="Ida & Ben", loud=True, text="<no>") == "Ida & Ben says:\n<HEY>\n- <no>"
    with pytest.raises(UndefinedError, match="text"):
        said.render(name="Ida", loud=False)
