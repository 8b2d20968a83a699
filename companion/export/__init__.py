"""A game written out for others: as a table, and as a score sheet to look at."""
