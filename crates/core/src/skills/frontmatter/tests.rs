//! Tests of reading front matter, strict and lenient.
