//! Limits on what reaches the model.
