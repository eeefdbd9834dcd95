"""Plugins: what they register into, and how they are found."""
