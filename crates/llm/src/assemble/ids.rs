//! Ids of tool calls: the server's where it can be kept, unique in any case.
//!
//! Owns renaming and making. Must not rewrite an id for some provider's taste: that belongs to
//! the request.

use letscode_wire::ToolCallId;
use std::collections::HashSet;

/// Gives each call of one message an id that no other call of the conversation has.
pub(super) struct CallIds {
    used: HashSet<ToolCallId>,
    /// Gives the ids of the history; asked at the first call, since most answers have none.
    history: Option<Box<dyn FnOnce() -> HashSet<ToolCallId> + Send>>,
}

impl CallIds {
    /// Returns the ids of a message that follows `history`.
    pub(super) fn new(history: Box<dyn FnOnce() -> HashSet<ToolCallId> + Send>) -> Self {
        Self { used: HashSet::new(), history: Some(history) }
    }

    /// Returns `wanted` if nobody has it, else `wanted` with the first free number at its end;
    /// a random id where the server sent none.
    pub(super) fn assign(&mut self, wanted: Option<&str>) -> ToolCallId {
        if let Some(history) = self.history.take() {
            self.used = history();
        }
        let id = match wanted {
            Some(wanted) => self.free_variant(wanted),
            None => random_id(),
        };
        self.used.insert(id.clone());
        id
    }

    fn free_variant(&self, wanted: &str) -> ToolCallId {
        let mut id = ToolCallId::from(wanted);
        let mut number = 2_u64;
        while self.used.contains(&id) {
            id = ToolCallId::from(format!("{wanted}_{number}"));
            number += 1;
        }
        id
    }
}

fn random_id() -> ToolCallId {
    let random = uuid::Uuid::new_v4().simple().to_string();
    ToolCallId::from(format!("call_{}", random.get(..12).unwrap_or(&random)))
}
