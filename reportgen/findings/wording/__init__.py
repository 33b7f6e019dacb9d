"""Builders of every sentence that a report says of a device.

Nothing else makes a sentence.  Each builder belongs to a claim level: what the device did
(`measured`), what would explain it (`inferred`: only ever "consistent with"), what a driver or
vendor says (`nominal`), and what was looked for and not seen ("not detected", never "absent").
`reportgen.findings.lint` reads the result.
"""
