//! Tests of what a person types: the three notations and their order.
