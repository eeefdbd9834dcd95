"""The agent as plugins see it: tools, messages, events, hooks, and a handle on the running one."""
