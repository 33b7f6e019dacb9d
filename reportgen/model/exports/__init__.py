"""One file a format.  Every export is written whole or not at all."""
