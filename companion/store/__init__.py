"""Games on disk: what was confirmed survives a pulled plug, a full disk and a damaged file."""
