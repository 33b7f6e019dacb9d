"""How long a loop body takes on a device, by its architecture model: text in, bounds out."""
