"""How much may be asked of a model: calls, tokens, money. Replayed calls are free."""

import math
import threading

from assay.errors import BudgetSpent, SpecError
from assay.models.replies import Usage

_MILLION = 1_000_000


class CallBudget:
    """Counts what is spent, and stops the call that would begin after the limit.

    `price` is money for a million tokens of the prompt and of the completion. A call is counted
    when it begins, since a failed one may be billed; its tokens when its reply is there. So calls
    under way at a time may take tokens and money over the limit by what they use.
    Where a server does not count tokens, each byte sent and received counts as one, so that a limit
    cannot be passed unseen.
    """

    def __init__(
        self,
        *,
        calls: int | None = None,
        tokens: int | None = None,
        money: float | None = None,
        price: tuple[float, float] | None = None,
    ) -> None:
        if money is not None and price is None:
            raise SpecError(
                "a limit in money needs the price of tokens",
                hint="Give it for a million tokens in and out: `price=0.15,0.60`.",
            )
        for number in (calls, tokens, money, *(price or ())):
            if number is not None and not 0 <= number < math.inf:
                raise SpecError(f"a budget of {number}: expected a number from 0")
        self._most = {"calls": calls, "tokens": tokens, "money": money}
        self._price = price or (0.0, 0.0)
        self._lock = threading.Lock()
        self.calls = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0

    @property
    def money(self) -> float:
        """What the tokens so far cost."""
        prompt, completion = self._price
        return (self.prompt_tokens * prompt + self.completion_tokens * completion) / _MILLION

    def begin(self) -> None:
        """Count a call, or refuse it."""
        with self._lock:
            spent = {
                "calls": self.calls,
                "tokens": self.prompt_tokens + self.completion_tokens,
                "money": self.money,
            }
            for what, most in self._most.items():
                if most is not None and spent[what] >= most:
                    raise BudgetSpent(
                        f"the budget is spent: {spent[what]:,} of {most:,} {what}",
                        hint="Calls already recorded are kept: give a larger budget and run again.",
                    )
            self.calls += 1

    def spend(self, used: Usage, *, sent: bytes, received: bytes) -> Usage:
        """Count the tokens of a call."""
        with self._lock:
            self.prompt_tokens += len(sent) if used.prompt is None else used.prompt
            self.completion_tokens += len(received) if used.completion is None else used.completion
        return used
