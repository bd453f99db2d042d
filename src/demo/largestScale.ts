import type { Database } from '../store/database.ts'

/** The largest scale of the demo, by database. The embedded database is limited by the memory of one process. */
export const largestScale = { postgresql: 10_000, embedded: 100 } as const satisfies Record<Database['kind'], number>
