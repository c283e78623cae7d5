"""Write a page of a study, for the verbs that can also print it."""

import os

import click

from assay.study.study import Study


def write_page(study: Study, name: str, *, as_json: bool) -> None:
    """Write a page into the study, and name the file."""
    from assay.report.json_output import as_json as written
    from assay.report.study.views import write_view

    place = os.path.relpath(write_view(study, name))
    click.echo(written({"wrote": place}) if as_json else f"Wrote {place}.")
