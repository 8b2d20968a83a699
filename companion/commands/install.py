"""`companion install`: the service that starts the companion when the device is switched on."""

from __future__ import annotations

import argparse

from companion.commands.installing import arguments, carry_out, program, to_install

__all__ = ["arguments", "run"]


def run(args: argparse.Namespace) -> int:
    return carry_out(list(to_install(args.lang, args.root, program())), args, "installed")
