//! Lenient reading of one chunk of a stream, or of a whole non-stream answer.
