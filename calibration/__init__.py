"""The project's own kits, and making kits from real copies."""
