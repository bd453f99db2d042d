/** The supported revisions of the Model Context Protocol, newest first. The first has no handshake; the others begin with `initialize`. */
export const revisions: readonly string[] = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

/** The revision of a client that names none (MCP 2025-06-18, protocol version header), and the only one with batches. */
export const revisionWithBatches = '2025-03-26'
