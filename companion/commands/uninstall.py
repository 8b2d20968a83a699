"""`companion uninstall`: takes the service out again; games, kits and settings stay."""

from __future__ import annotations

import argparse

from companion.commands.installing import arguments, carry_out, to_uninstall

__all__ = ["arguments", "run"]


def run(args: argparse.Namespace) -> int:
    return carry_out(list(to_uninstall(args.root)), args, "uninstalled")
