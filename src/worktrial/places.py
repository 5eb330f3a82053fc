"""Places of runs and archives as users name them: folders, and addresses in object stores."""

from pathlib import Path

from worktrial.errors import SettingError, option

SCHEMES = ("s3", "gs", "az", "file")
"""Beginnings of an address in an object store."""
_BROUGHT: dict[Path, str] = {}


def address_of(place: Path | str) -> str | None:
    """Address in an object store that `place` spells, without a slash at its end; None where it is a folder.

    A path has lost one slash of the address: `Path("s3://bucket/run")` is `s3:/bucket/run`.
    """
    text = str(place)
    # A path without anything after the scheme has lost all of them.
    scheme, separator, rest = f"{text}/".partition(":/") if text.endswith(":") else text.partition(":/")
    if not separator or scheme not in SCHEMES:
        return None
    rest = rest.strip("/")
    return f"{scheme}:///{rest}" if scheme == "file" else f"{scheme}://{rest}"


def check_address(address: str) -> None:
    """Refuse an address that names no place in a store.

    Raises:
        SettingError: it does not, or there is more in it.
    """
    scheme, _, rest = address.partition("://")
    bucket, _, run = rest.partition("/")
    if scheme == "file":
        if not run:
            raise SettingError(f"{option('output')} {address}: names no folder; write file:///PATH/NAME")
    elif "@" in bucket or "?" in rest or "#" in rest:
        # Not repeated here: a password may be in it.
        raise SettingError(
            f"{option('output')} {scheme}://…: an address has no user, query or fragment; keys come from "
            "the environment"
        )
    elif not bucket or not run:
        raise SettingError(f"{option('output')} {address}: is not {scheme}://BUCKET/NAME")
    if not {".", "..", ""}.isdisjoint(run.split("/")):
        raise SettingError(f"{option('output')} {address}: has a step that is empty, . or ..; leave it out")


def below(base: Path, place: Path) -> Path:
    """`place` below `base`, where it is neither absolute nor an address."""
    return place if address_of(place) is not None else base / place


def brought(folder: Path, address: str) -> None:
    """Remember that the run in `folder` was brought there from `address`, or is written from there."""
    _BROUGHT[folder] = address


def shown_place(place: Path) -> str:
    """`place` as its user wrote it; of a folder that a run was brought to, the run's address."""
    return address_of(place) or _BROUGHT.get(place) or str(place)
