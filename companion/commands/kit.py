"""`companion kit`: looks a kit over, packs one into a file, and unpacks it on another machine."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from calibration.alike import picture_findings
from calibration.findings import CANNOT_BE, Finding, worst
from calibration.lint import lint
from calibration.packing import pack, unpack
from companion.kit import load_kit
from companion.rules import LANGUAGES
from companion.words import words


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, what in (
        ("check", "tell what cannot be in a kit, and what will be hard to read"),
        ("pack", "put a kit into one file"),
        ("unpack", "take a kit out of such a file"),
    ):
        action = actions.add_parser(name, help=what, description=what.capitalize() + ".")
        if name == "unpack":
            action.add_argument("file", metavar="FILE", type=Path, help="the packed kit")
        action.add_argument("folder", metavar="DIR", type=Path, help="the kit's folder")
        if name == "pack":
            action.add_argument("file", metavar="FILE", type=Path, help="the new file, as garden.kit.zip")
        if name == "check":
            action.add_argument("--json", action="store_true", help="print JSON, for programs")
        action.add_argument("--lang", choices=LANGUAGES, default="en", help="language of what people read")


def run(args: argparse.Namespace) -> int:
    said = words("calibration", args.lang)["kit"]
    if args.action == "pack":
        print(said["packed"].format(file=args.file, count=pack(args.folder, args.file)))
        return 0
    if args.action == "unpack":
        kit = unpack(args.file, args.folder)
        print(said["unpacked"].format(name=kit.name, folder=args.folder))
        return 0
    kit = load_kit(args.folder)
    found = worst([*lint(kit), *picture_findings(kit)])
    if args.json:
        print(json.dumps({"kit": str(args.folder), "findings": [as_json(f, args.lang) for f in found]}))
    else:
        print("\n".join(in_words(found, args.lang)) or said["sound"].format(folder=args.folder))
    return 1 if any(finding.grade == CANNOT_BE for finding in found) else 0


def as_json(finding: Finding, lang: str) -> dict[str, object]:
    return {"grade": finding.grade, "key": finding.key, **finding.facts, "text": told(finding, lang)}


def told(finding: Finding, lang: str) -> str:
    return str(words("calibration", lang)["findings"][finding.key].format(**finding.facts))


def in_words(findings: Iterable[Finding], lang: str) -> list[str]:
    grades = words("calibration", lang)["grades"]
    return [f"{grades[finding.grade]}: {told(finding, lang)}" for finding in findings]
