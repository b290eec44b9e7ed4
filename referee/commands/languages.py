"""`referee languages`: lists the languages, and what each lacks."""

from __future__ import annotations

import click

from referee.languages import Part, languages, load_language
from referee.languages.check import faults, missing, phrases_of, unreadable


@click.command()
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """List the languages, or the missing and faulty phrases of the language CODE.

    Example: referee languages hi
    """
    if code is None:
        wrong = [fault for each in languages() for fault in unreadable(each)]
        for each in languages():
            if not unreadable(each):
                click.echo(_line(each))
        _refuse(wrong)
        return
    if code not in languages():
        raise click.BadParameter(f"choose one of {', '.join(languages())}", param_hint="CODE")
    _refuse(unreadable(code))
    for part in Part:
        for path in missing(part, code):
            click.echo(f"{code}/{part}: {path} is said in English")
    wrong = faults(code)
    _refuse(wrong)
    click.echo(_line(code))


def _refuse(wrong: list[str]) -> None:
    """Ends the command where anything is wrong."""
    for fault in wrong:
        click.echo(fault)
    if wrong:
        raise click.exceptions.Exit(1)


def _line(code: str) -> str:
    language = load_language(code)
    all_of_them = sum(len(phrases_of(part, "en")) for part in Part)
    lacking = sum(len(missing(part, code)) for part in Part)
    by = "translated by a machine" if language.machine else "read by people"
    return f"{code}  {language.name} ({language.english_name}): {all_of_them - lacking} of {all_of_them} phrases, {by}"
