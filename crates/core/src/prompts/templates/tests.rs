//! Tests of templates: where they are found and what is put in.
