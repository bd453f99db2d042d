import type { Database } from '../store/database.ts'

/** The largest multiple of its own size that the demo can have. The embedded database is limited by the memory of one process. */
export const largestScale = { postgresql: 10_000, embedded: 100 } as const satisfies Record<Database['kind'], number>
