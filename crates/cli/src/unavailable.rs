//! A model that cannot be asked, for runs that may need none.
//!
//! Owns the answer to whoever asks it all the same: why there is no model. Must not be used
//! where a model is needed for sure: then nothing should be started at all.

use futures_util::stream;
use letscode_core::model::{
    Model, ModelError, ModelErrorKind, ModelInfo, ModelRequest, ModelStream,
};
use std::fmt::Display;

/// A model without a key, or with an address that makes no sense.
pub(crate) struct UnavailableModel {
    name: String,
    reason: String,
}

impl UnavailableModel {
    /// Returns the model of that name, which nobody can ask for this reason.
    pub(crate) fn new(name: &str, reason: impl Display) -> Self {
        Self { name: name.to_owned(), reason: reason.to_string() }
    }
}

impl Model for UnavailableModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { name: self.name.clone(), context_window: None, vision: false }
    }

    fn stream(&self, _request: ModelRequest) -> ModelStream {
        let (kind, message) = (ModelErrorKind::Authentication, self.reason.clone());
        Box::pin(stream::iter([Err(ModelError { kind, message })]))
    }
}
