"""Front ends: what one has to offer, and pieces that several share."""
