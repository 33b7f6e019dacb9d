"""How often what reportgen says is right, counted on simulated devices of known truth.

`python -m calibration` draws devices, sends each through analysis and findings, and writes the tables of
`docs/method/calibration.md`.  No part of the package: users do not need it.
"""
