"""One file a figure: a frozen record of what is drawn, and the function that draws it.

A record is JSON-ready and complete: the same record gives the same SVG, so its digest is the key
under which the drawing is cached.  Numbers are in base units; only labels carry prefixes.
"""
