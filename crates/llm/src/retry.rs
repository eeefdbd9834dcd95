//! Back-off, Retry-After and its limits.
