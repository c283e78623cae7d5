"""The flags of verbs that ask a model."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.cli.options import PATH

if TYPE_CHECKING:
    from assay.api.critic.settings import ModelSettings

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def recording_flags(about: str) -> Callable[[Decorated], Decorated]:
    """--cassette, described, and --mode."""

    def add(command: Decorated) -> Decorated:
        mode = click.option(
            "--mode",
            type=click.Choice(["auto", "record", "replay"]),
            default="auto",
            show_default=True,
            help="auto: recorded replies where there are some. replay: nothing else.",
        )
        return click.option("--cassette", type=PATH, metavar="FILE", help=about)(mode(command))

    return add


_ASKED: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--model",
        required=True,
        metavar="MODEL",
        help="local, local:PATH.gguf, or an endpoint: https://HOST/v1#NAME.",
    ),
    click.option(
        "--wording",
        multiple=True,
        metavar="NAME|FILE",
        help="A wording to ask in, bundled or a TOML file. Repeatable. Default: the bundled ones.",
    ),
    click.option(
        "--min-mass",
        type=click.FloatRange(0.0, 1.0),
        default=0.2,
        show_default=True,
        help="Less probability on YES and NO than this is an abstention.",
    ),
)
_CALLS: tuple[Callable[[Any], Any], ...] = (
    recording_flags("Record every call here, and resume."),
    click.option("--jobs", type=int, metavar="N", help="Calls at a time. Default: 8; 1 if local."),
    click.option("--max-calls", type=int, metavar="N", help="Stop after so many calls."),
    click.option("--max-tokens", type=int, metavar="N", help="Stop after so many tokens."),
    click.option(
        "--max-cost", type=float, metavar="MONEY", help="Stop at this cost; needs --price."
    ),
    click.option(
        "--price",
        type=float,
        nargs=2,
        metavar="IN OUT",
        help="The price of a million tokens, of the prompt and of the reply.",
    ),
    click.option(
        "--key-env",
        default="ASSAY_API_KEY",
        show_default=True,
        metavar="NAME",
        help="The environment variable that holds the key.",
    ),
    click.option("--call-seconds", type=float, metavar="S", help="How long a call may take."),
)


def asked_flags(command: Decorated) -> Decorated:
    """--model, and what it is asked."""
    return with_flags(_ASKED, command)


def call_flags(command: Decorated) -> Decorated:
    """How calls are made: --cassette, --jobs and similar."""
    return with_flags(_CALLS, command)


def model_flags(command: Decorated) -> Decorated:
    """--model and all that belongs to it."""
    return with_flags((*_ASKED, *_CALLS), command)


def with_flags(flags: Sequence[Callable[[Decorated], Decorated]], command: Decorated) -> Decorated:
    """A command with some flags, in their order."""
    for flag in reversed(flags):
        command = flag(command)
    return command


def settings_from(flags: dict[str, Any]) -> "ModelSettings":
    """The settings that these flags name."""
    from assay.api.critic.settings import settings_of

    words: Any = flags
    return settings_of(flags["model"], words)
