"""Types that belong to the exchange with a language model."""
