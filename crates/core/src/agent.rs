//! The handle of the agent.
