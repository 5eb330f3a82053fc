"""When there is no sandbox."""

from worktrial.errors import SettingError

_WITHOUT = "To run an agent's Python without a sandbox, at your own risk, give --unsafe-python."


class SandboxUnavailable(SettingError):
    """Code of an agent cannot be locked in on this machine; the message says why and how to mend it."""

    def __init__(self, what: str, fix: str = "") -> None:
        self.why = f"{what}.{' ' + fix if fix else ''}"
        """The same, for those who would not do without the sandbox."""
        super().__init__(f"{self.why} {_WITHOUT}")
