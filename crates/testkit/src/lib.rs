//! Parts for the tests of letscode.
