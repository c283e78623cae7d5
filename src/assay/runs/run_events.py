"""Who is told how a run goes on."""

from assay.runs.result import Record


class Listener:
    """Tells nobody."""

    def total(self, items: int, made: int) -> None:
        """So many items there are, and so many have been asked before."""

    def started(self) -> None:
        """The ledger says that the run begins, and the method has seen nothing yet."""

    def record(self, record: Record) -> None:
        """One more record."""

    def printed(self, data: bytes) -> None:
        """The method printed something."""
