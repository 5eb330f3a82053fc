"""The worked example: five scenarios and six domain agents of our own in each language, in the release's layout."""

from importlib import resources
from pathlib import Path


def example_folder() -> Path:
    """The folder of the example, laid out as a release: `{EN,KO}/scenario_data` and `{EN,KO}/multiagent_cards`."""
    return Path(str(resources.files(__name__)))
