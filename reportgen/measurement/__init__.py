"""Code of the user's own: read, timed in the frame, compared with what models say of it."""
