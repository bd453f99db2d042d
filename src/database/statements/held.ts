import { sql } from 'kysely'

/** The activity of the app in whose transaction the statement runs; null for everybody else. */
export const heldActivity = sql<string | null>`nullif(current_setting('schoolgate.activity', true), '')::uuid`

/** For how many seconds what leaves the service because of it waits; 0 for everybody else. */
export const heldSeconds = sql<number>`coalesce(nullif(current_setting('schoolgate.hold', true), ''), '0')::int`
