"""Choice of requests that go into batches, and patience with them."""

from collections.abc import Mapping
from dataclasses import dataclass

from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError, option


@dataclass(frozen=True, slots=True)
class BatchPolicy:
    """Choice of requests that go into batches, and patience with them: providers give them up after 24 hours.

    Judges' votes go into batches; what a tool loop asks for does not, since every turn of it would take a day.
    """

    agent: bool = False
    """Whether a sample asks its agent's model once, so that these requests go into batches, too."""
    first_look: float = 2.0
    """Seconds from submitting a batch to the first look at it; each wait is half as long again as the last."""
    longest_wait: float = 60.0
    """Seconds between two looks at most."""
    looks: int = 1600
    """Looks at one batch, after which the run stops; it can be resumed."""
    quiet: float = 60.0
    """Seconds without another request of a role after which a batch is closed."""

    def roles(self, roles: Mapping[RoleName, RoleSettings]) -> frozenset[RoleName]:
        """Names of the roles whose requests go into batches.

        Raises:
            SettingError: there are none, or some cannot; the message says which, and why.
        """
        # Imported here because most runs have no batches, and are to begin soon.
        from worktrial.engine.batch.providers import MAKERS

        kinds = (Role.JUDGE, Role.AGENT) if self.agent else (Role.JUDGE,)
        chosen = {name: settings for name, settings in roles.items() if settings.role in kinds}
        for settings in chosen.values():
            model = f"{settings.role.option()} {settings.model}"
            if settings.is_local:
                raise SettingError(f"{option('batch')}: {model} has no batches")
            if settings.wire not in MAKERS:
                raise SettingError(
                    f"{option('batch')}: {model}: there are batches for chat completions, anthropic, gemini and "
                    f"responses, and none for {settings.wire}"
                )
            if settings.stream == "on":
                raise SettingError(
                    f"{settings.role.option('stream')} on: the answers of a {option('batch')} are whole"
                )
        if not chosen:
            raise SettingError(
                f"{option('batch')}: no request of this run can wait a day. Batches are for judges' votes and for "
                f"questions that an agent answers without tools; leave {option('batch')} out"
            )
        return frozenset(chosen)
