//! Failures: classification, and the best message out of any body.
