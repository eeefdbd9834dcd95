//! Token figures in every shape that servers send.
