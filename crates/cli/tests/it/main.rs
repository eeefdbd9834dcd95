//! Tests of the program over its process boundary, in one binary.

mod conformance;
