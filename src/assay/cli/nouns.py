"""Commands that are nouns (`assay bars`, `assay benchmark`): without a part, each lists."""

from typing import Any

import click

from assay.cli.usage import no_such_command


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
