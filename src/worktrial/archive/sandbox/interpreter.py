"""The Python that runs in the sandbox: which files of this machine it needs, and where they go."""

import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

# With what these need in turn. Not the whole of site-packages: an evaluation's own answers may lie there.
PACKAGES = ("numpy", "scipy", "pandas", "dateutil", "six", "pytz", "tzdata")
HERE = Path(__file__).parent
HOME = "/python"
PACKAGES_AT = "/packages"
SESSION_AT = "/session"


class Mount(NamedTuple):
    """A file or folder of this machine, and where it is seen in the sandbox."""

    source: Path
    target: str


@cache
def mounts() -> tuple[Mount, ...]:
    """Everything the interpreter needs, nothing of it writable."""
    return (*_system_libraries(), *_python(), *_packages(), *_session())


@cache
def masks() -> tuple[str, ...]:
    """Folders that come along with the mounts and must be seen empty: what else is installed."""
    shown = [mount for mount in mounts() if mount.source.is_dir()]
    found = []
    for source, target in shown:
        if not target.startswith((PACKAGES_AT, SESSION_AT)):
            for pattern in ("site-packages", "dist-packages", "python*/site-packages", "python*/dist-packages"):
                found += [f"{target}/{folder.relative_to(source)}" for folder in source.glob(pattern)]
    return tuple(found)


@cache
def package_folders() -> tuple[str, ...]:
    """Where the packages lie on this machine."""
    return tuple(dict.fromkeys(str(source.parent) for source, _ in _packages()))


def _python() -> Iterator[Mount]:
    version = f"python{sysconfig.get_python_version()}"
    prefix = Path(sys.base_prefix)
    program = prefix / "bin" / version
    yield Mount((program if program.exists() else Path(sys.executable)).resolve(), f"{HOME}/bin/python3")
    stdlib = Path(sysconfig.get_path("stdlib"))
    if prefix in (Path("/usr"), Path("/usr/local")):
        # Shared with everything else that is installed there.
        yield Mount(stdlib, f"{HOME}/{sys.platlibdir}/{version}")
        shared = sysconfig.get_config_var("INSTSONAME")
        for folder in (sysconfig.get_config_var("LIBDIR"), f"{prefix}/lib"):
            if shared and folder and (Path(folder) / shared).is_file():
                yield Mount(Path(folder) / shared, f"{HOME}/lib/{shared}")
                return
    else:
        yield Mount(stdlib.parent, f"{HOME}/{sys.platlibdir}")


def _system_libraries() -> Iterator[Mount]:
    triplet = sysconfig.get_config_var("MULTIARCH")
    shared = [f"/usr/lib/{triplet}", f"/lib/{triplet}"] if triplet and Path(f"/usr/lib/{triplet}").is_dir() else []
    for folder in (*(shared or ("/usr/lib", "/lib")), "/usr/lib64", "/lib64"):
        if Path(folder).is_dir():
            yield Mount(Path(folder).resolve(), folder)
    # Debian's numpy finds its linear algebra through links in there.
    if Path("/etc/alternatives").is_dir():
        yield Mount(Path("/etc/alternatives"), "/etc/alternatives")


def _packages() -> Iterator[Mount]:
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            continue
        origin = Path(spec.origin)
        package = origin.parent if spec.submodule_search_locations else origin
        yield Mount(package, f"{PACKAGES_AT}/{package.name}")
        libraries = package.with_name(f"{name}.libs")
        if libraries.is_dir():
            yield Mount(libraries, f"{PACKAGES_AT}/{libraries.name}")


def _session() -> Iterator[Mount]:
    # Imported for its byte code alone, which lies beside it from then on; the sandbox could not write it.
    import_module("worktrial.archive.sandbox.inside.worker")
    for name in ("inside", "offered"):
        yield Mount(HERE / name, f"{SESSION_AT}/{name}")
