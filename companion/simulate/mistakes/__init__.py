"""Mistakes of players, a module for each game: what somebody might do against the rules, and how the table looks then.

`conceivable` gives actions, some of them legal; who asks for a mistake takes one that is not.
"""
