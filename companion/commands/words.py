"""`companion words`, for whoever translates: which texts of a language cannot be told, and how many are missing."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from companion.games import NAMES, load_game
from companion.rules import FIRST_LANGUAGE, LANGUAGES
from companion.words import languages_of, word_faults, words, words_missing


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("languages", metavar="LANGUAGE", nargs="*", help="as in words.XX.po (default: all)")
    parser.add_argument("--missing", action="store_true", help="name every text that is told in English")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language of what people read (default: en)")


def packages() -> tuple[str, ...]:
    """Everything that has words of its own."""
    return ("companion", "calibration", *(load_game(name).package for name in NAMES))


def translations() -> list[str]:
    return sorted({language for package in packages() for language in languages_of(package)} - {FIRST_LANGUAGE})


def all_faults() -> Iterator[str]:
    """What is wrong with any language's words, a line each."""
    for language in translations():
        for package in packages():
            yield from word_faults(package, language)


def run(args: argparse.Namespace) -> int:
    """Returns 1 where something is wrong with a file; a text that is missing is not wrong."""
    said = words("companion", args.lang)["translating"]
    found = False
    for language in args.languages or translations():
        told = count = 0
        for package in packages():
            for fault in word_faults(package, language):
                found = True
                print(fault)
            missing, texts = words_missing(package, language)
            told, count = told + texts - len(missing), count + texts
            for key in missing if args.missing else ():
                print(said["in-english"].format(package=package, key=key))
        print(said["told"].format(language=language, told=told, count=count))
    return 1 if found else 0
