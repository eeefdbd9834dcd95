"""Pieces of the terminal front end that other front ends use too."""
