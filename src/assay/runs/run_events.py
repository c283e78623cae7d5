"""Events of a run."""

from pathlib import Path

from assay.runs.result import Record


class Listener:
    """Receives the events of a run; this one ignores them."""

    def total(self, items: int, made: int) -> None:
        """The run has so many items, of which so many were asked before."""

    def started(self) -> None:
        """The ledger says that the run begins, and the method has seen nothing yet."""

    def record(self, record: Record) -> None:
        """An item was asked."""

    def printed(self, data: bytes) -> None:
        """The method printed something."""

    def interrupted(self, made: int, folder: Path) -> None:
        """The run ended early; so many outputs were made, and are stored in the folder."""
