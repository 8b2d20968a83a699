"""Second, slower implementations of the rules, written from their text alone, to check the real ones against."""
