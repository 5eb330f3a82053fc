"""The report that these tests look at."""

import pytest
from tests.support.made_site import MadeSite, made_site


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> MadeSite:
    """Made once: it is only looked at."""
    return made_site(tmp_path_factory.mktemp("browser"))
