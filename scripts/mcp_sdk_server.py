"""A server on the official Python SDK, for mcp_servers.py and mcp_model.py: it can wait for ever, and grow."""

from pathlib import Path

import anyio
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("grows")


@server.tool()
async def wait(note: str) -> str:
    """Waits for ever; says in the file `note` that it has begun, and that it was told to stop."""
    Path(note).write_text("begun")
    try:
        await anyio.sleep_forever()
    except anyio.get_cancelled_exc_class():
        Path(note).write_text("told to stop")
        raise
    return "never"


@server.tool()
async def grow(context: Context) -> str:
    """Has one more tool from now on, and says so."""
    server.add_tool(newcomer)
    await context.notify_tools_changed()
    return "grown"


async def newcomer() -> str:
    """Was not there at first."""
    return "here I am"


server.run()
