"""The report that these tests look at."""

import pytest
from tests.support.made_once import made_once
from tests.support.made_site import MadeSite, found_site, made_site


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> MadeSite:
    """Made once: it is only looked at."""
    return found_site(made_once(tmp_path_factory, "browser", made_site))
