"""All texts for people, one folder for each language. A new language needs a new folder and nothing else.

A folder holds `language.toml` (name, writing direction and plural rules), `glossary.toml` (its word for each thing) and
the phrases of four parts: `laws.toml`, `match.toml`, `replay.toml`, `pages.json`. Missing phrases appear in English;
`referee languages` lists them. See docs/languages.md.
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
