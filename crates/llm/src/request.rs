//! Messages to a request body that the endpoint takes.
