"""Rules held back: labels that the surface tells in ways that no rule of ours was chosen on.

They were written by someone who had not read how D5 is reckoned, only which features are declared,
to get a method through that reads nothing else. They differ in kind from those of
benchmarks/surface_families.py: last digits, remainders of sums, tables by length, spirals,
thresholds that move, exceptions, chances that swing, flags that vote, rare positives, sources,
pairs. Draws and methods are the same (`draw_told`).

`BEYOND_COVERAGE` is what the documentation says is not covered: labels that hang on four features
or five in a way that no three of them show.
"""

import numpy as np
from numpy.typing import NDArray
from situations import Floats
from surface_families import PAIRS, RAW, SOURCES, Rules, parity

_LONG, _WORDS, _COPY, _CAPITALS, _WORD_SIZE, _STOP, _COMMAS, _NUMBERS = (
    "char_length",
    "word_length",
    "question_overlap",
    "capitalized_token_ratio",
    "mean_word_length",
    "ends_with_full_stop",
    "comma_count",
    "numeric_token_ratio",
)
_ASKED_LONG, _ASKED_WORDS, _ASKED_COMMAS, _ASKED_NUMBERS, _ASKED_SIZE, _AUXILIARY = (
    "question.char_length",
    "question.word_length",
    "question.comma_count",
    "question.numeric_token_ratio",
    "question.mean_word_length",
    "question.opens_auxiliary",
)


def _near(column: Floats, middle: float, reach: float) -> NDArray[np.bool_]:
    return np.asarray(np.abs(column - middle) < reach)


def _spiral(across: Floats, up: Floats) -> NDArray[np.bool_]:
    """Two arms that wind around the middle."""
    turned = np.arctan2(up - 0.5, across - 0.5) + 14.0 * np.hypot(up - 0.5, across - 0.5)
    return np.asarray(np.sin(turned) > 0.0)


def _hashed(column: Floats) -> NDArray[np.bool_]:
    """A bit for each value, with no order in it."""
    return np.asarray(column.astype(np.int64) * 2_654_435_761 % 2**32 // 2**15 % 2 == 0)


def _votes(*flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    return np.asarray(np.sum(flags, axis=0))


HELD_BACK: Rules = {
    "random words": {
        "last digit": lambda x: np.isin(x[RAW + _LONG] % 10.0, (2.0, 3.0, 5.0, 7.0)),
        "full stop or band": lambda x: (x[RAW + _STOP] > 0.0) ^ _near(x[_COPY], 0.5, 0.25),
        "moving threshold": lambda x: x[_LONG] > 0.5 + 0.4 * np.sin(9.0 * x[_WORD_SIZE]),
        "spiral": lambda x: _spiral(x[_LONG], x[_COPY]),
        "form of the question": lambda x: np.where(
            x[RAW + _AUXILIARY] > 0.0,
            np.where(x[_LONG] > 0.5, x[_CAPITALS] > 0.5, x[_CAPITALS] < 0.35),
            ~_near(x[_LONG], 0.5, 0.25),
        ),
        "median of three": lambda x: _near(
            np.median([x[_LONG], x[_COPY], x[_CAPITALS]], axis=0), 0.5, 0.12
        ),
        "soft wave": lambda x: 0.5 + 0.45 * np.sin(22.0 * x[_LONG] + 5.0 * x[_COPY]),
        "exceptions": lambda x: (x[_LONG] > 0.5) ^ np.isin(x[RAW + _WORDS], (5.0, 8.0, 9.0, 12.0)),
    },
    SOURCES: {
        "by source": lambda x: np.select(
            [x[RAW + "source"] == number for number in range(4)],
            [
                x[_LONG] > 0.75,
                x[_LONG] < 0.4,
                _near(x[_LONG], 0.5, 0.3),
                ~_near(x[_COPY], 0.5, 0.125),
            ],
            default=np.False_,
        ),
    },
    "real sentences": {
        "rare slots": lambda x: np.where(
            _near(x[_WORD_SIZE], 0.27, 0.024) | _near(x[_WORD_SIZE], 0.62, 0.024), 0.85, 0.02
        ),
        "table by length": lambda x: _hashed(x[RAW + _LONG]),
        "remainder of a sum": lambda x: (x[RAW + _WORDS] + x[RAW + _COMMAS]) % 3.0 == 0.0,
        "check sum": lambda x: (x[RAW + _LONG] + 3.0 * x[RAW + _ASKED_LONG]) % 7.0 < 3.0,
        "vote of five flags": lambda x: (
            _votes(
                x[RAW + _STOP] > 0.0,
                x[RAW + _COMMAS] > 0.0,
                x[_COPY] > 0.5,
                x[_CAPITALS] > 0.5,
                x[RAW + _ASKED_NUMBERS] > 0.0,
            )
            > 2
        ),
        "weak pairs": lambda x: (
            (x[_LONG] - 0.5) * (x[_CAPITALS] - 0.5)
            + (x[_COPY] - 0.5) * (x[_WORD_SIZE] - 0.5)
            + (x[_ASKED_LONG] - 0.5) * (x[_ASKED_SIZE] - 0.5)
            > 0.0
        ),
        "quantiles of the question": lambda x: (
            parity(6.0 * x[_ASKED_LONG]) ^ (x[RAW + _LONG] > x[RAW + _ASKED_LONG])
        ),
        "chirp": lambda x: np.sin(2.5 / (x[_WORD_SIZE] + 0.06)) > 0.0,
        "largest of three": lambda x: parity(
            8.0 * np.max([x[_LONG], x[_COPY], x[_CAPITALS]], axis=0) ** 3
        ),
    },
    PAIRS: {
        "difference of ranks": lambda x: 0.5 + 0.49 * np.sin(12.0 * (x[_LONG] - x[_ASKED_LONG])),
    },
}
"""Rules that one feature shows, or two, or three, or several of which each shows something."""

BEYOND_COVERAGE: Rules = {
    "random words": {
        "four at once": lambda x: parity(
            2.0 * x[_LONG], 2.0 * x[_COPY], 2.0 * x[_CAPITALS], 2.0 * x[_WORD_SIZE]
        ),
    },
    "real sentences": {
        "remainder of four": lambda x: (
            (x[RAW + _WORDS] + x[RAW + _ASKED_WORDS] + x[RAW + _COMMAS] + x[RAW + _ASKED_COMMAS])
            % 2.0
            == 0.0
        ),
        "five flags, even": lambda x: (
            _votes(
                x[_LONG] > 0.5,
                x[RAW + _COMMAS] > 0.0,
                x[_COPY] > 0.5,
                x[RAW + _NUMBERS] > 0.0,
                x[_ASKED_LONG] > 0.5,
            )
            % 2
            == 0
        ),
    },
}
"""Rules of which no three features show anything, or next to nothing."""
