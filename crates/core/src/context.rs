//! From the transcript to a request.
