"""Slash commands: what a handler is given and what it may answer."""
