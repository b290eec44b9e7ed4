"""Every word that people read or hear, a folder a language: nothing else has to change for a new one.

A folder holds `language.toml` (what it is called, how it is written and counted), `glossary.toml` (its word for each
thing) and the phrases of four parts: `laws.toml`, `match.toml`, `replay.toml`, `pages.json`. What a translation lacks
is said in English; `referee languages` tells what that is. See docs/languages.md.
"""

from referee.languages.folders import Language, Part, TextDirection, fonts_folder, languages, load_language, phrases
from referee.languages.plurals import form, plural

__all__ = [
    "Language",
    "Part",
    "TextDirection",
    "fonts_folder",
    "form",
    "languages",
    "load_language",
    "phrases",
    "plural",
]
