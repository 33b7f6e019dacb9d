"""Figures that others have published, with their citations: `data/published/`, read and matched to a device.

`library` reads the folder, `matching` says which figures speak of a device, `weighing` compares one with a
measured quantity.
"""
