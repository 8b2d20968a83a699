"""Garden Companion: a referee and scorekeeper for three garden board games."""

__version__ = "0.1.0"
