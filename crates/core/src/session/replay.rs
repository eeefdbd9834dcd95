//! What a session's branch means to the next request.
