/** Revisions of the Model Context Protocol that are spoken here, the newest first. The first knows no handshake; the others begin with `initialize`. */
export const revisions: readonly string[] = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']

/** What a client that names no revision speaks (MCP 2025-06-18, protocol version header), and the only one with batches. */
export const revisionWithBatches = '2025-03-26'
