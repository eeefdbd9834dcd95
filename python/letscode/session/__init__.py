"""Session files, for plugins that read or write them."""
