//! Base URL forms.
