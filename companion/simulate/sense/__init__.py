"""Players of some sense, a module for each game: what a position is worth to a player, and the best action by it.

They look one action ahead.  Chance decides between actions that seem equally good, and what is rolled or drawn.
"""
