"""Skills: instructions in Markdown files that a model can ask for."""
