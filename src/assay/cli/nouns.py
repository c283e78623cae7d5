"""Commands of several parts: one of them is meant where none is named."""

import os
from typing import TYPE_CHECKING, Any

import click

from assay.cli.usage import no_such_command
from assay.wording import did_you_mean

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Noun(click.Group):
    """A group that runs the part `alone` if none is named; `list` is a synonym of it."""

    def __init__(self, *args: Any, alone: str | None = None, **settings: Any) -> None:  # noqa: ANN401 - click's signature
        super().__init__(*args, **settings)
        self.alone = alone

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the default part if none is named: `assay bars --json`."""
        asks = ctx.resilient_parsing or set(args) & set(self.get_help_option_names(ctx))
        if self.alone is not None and not asks:
            if args[:1] == ["list"]:
                args = [self.alone, *args[1:]]
            elif not args or args[0].startswith("-"):
                args = [self.alone, *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the part, or suggest one."""
        if not ctx.resilient_parsing and args[0] not in self.commands:
            raise no_such_command(args[0], ctx, self.commands)
        return super().resolve_command(ctx, args)


class DefaultPart(click.Group):
    """A group whose part `default` is meant where something else than a part comes first.

    `assay claims README.md` is `assay claims check README.md`. A default part that is hidden is
    the verb itself: its help is the group's.
    """

    def __init__(self, *args: Any, default: str, **settings: Any) -> None:  # noqa: ANN401 - click's signature
        super().__init__(*args, **settings)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Name the part where a file or a flag comes first."""
        asks = not ctx.resilient_parsing and set(args) & set(self.get_help_option_names(ctx))
        if args and args[0] not in self.commands and not asks:
            if not ctx.resilient_parsing:
                self._check_typed(args[0])
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def _check_typed(self, word: str) -> None:
        """Refuse a word that is neither a file nor a part, but nearly a part."""
        parts = [name for name, part in self.commands.items() if not part.hidden]
        near = None if os.path.lexists(word) else did_you_mean(word, parts)
        if near is not None and not word.startswith("-"):
            raise click.UsageError(
                f"no file and no part of `{self.name}` is called {word!r}. {near}"
            )

    @property
    def _verb(self) -> click.Command | None:
        part = self.commands[self.default]
        return part if part.hidden else None

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """The usage of the verb itself."""
        part = self._verb
        return super().collect_usage_pieces(ctx) if part is None else part.collect_usage_pieces(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The flags of the verb itself, and its other parts."""
        part = self._verb
        if part is not None:
            part.format_options(ctx, formatter)
            self.format_commands(ctx, formatter)
        else:
            super().format_options(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """The parts, and what can come first where none is named."""
        part = self.commands[self.default]
        own = [
            item
            for parameter in part.params
            if isinstance(parameter, click.Argument)
            for item in parameter.shell_complete(ctx, incomplete)
        ]
        return [*super().shell_complete(ctx, incomplete), *own]
