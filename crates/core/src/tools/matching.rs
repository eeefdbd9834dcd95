//! Finds the place that an edit means.
