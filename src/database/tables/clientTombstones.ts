import { createHash } from 'node:crypto'
import { type Expression, type QueryCreator, sql } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { Reader } from '../connection/database.ts'
import { daySeconds, now, secondsAgo } from '../statements/expressions.ts'
import { storableText } from '../statements/storableText.ts'

const keptDays = 90

/** The tables, and the clients that were removed in the same statement. */
type WithRemoved = DB & { removed: { school_id: string; id: string; metadata: unknown } }

/** Remembers the clients of the common table expression `removed`, which deletes them. Returns the ids. */
export function rememberRemoved(db: QueryCreator<WithRemoved>) {
  return db
    .insertInto('oidc_client_tombstone')
    .columns(['school_id', 'id', 'redirect_hashes'])
    .expression((one) =>
      one.selectFrom('removed').select(({ ref }) => ['school_id', 'id', redirectHashes(ref('metadata')).as('redirect_hashes')]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['school_id', 'id'])
        .doUpdateSet(({ ref }) => ({ redirect_hashes: ref('excluded.redirect_hashes'), removed_at: now })),
    )
    .returning('id')
}

/** The hashes of a client's redirect URIs. The port of a loopback address is left out: it changes with every start of the app. */
const redirectHashes = (metadata: Expression<unknown>) => sql<string[]>`ARRAY(
  SELECT encode(sha256(convert_to(regexp_replace(uri, '^(http://[^/]*):[0-9]+/', '\\1/'), 'UTF8')), 'hex')
    FROM jsonb_array_elements_text(coalesce(${metadata}->'redirect_uris', '[]')) AS uri)`

/**
 * Returns when clean-up removed this client; undefined if it never did, or too long ago. A caller that does not know a redirect URI of
 * the client learns nothing.
 */
export async function findTombstone(
  db: Reader,
  schoolId: string,
  { clientId, redirectUri }: { clientId: string; redirectUri: string },
): Promise<Date | undefined> {
  // The database would fail on a text that it cannot hold. No client has it as its id.
  if (storableText(clientId) !== clientId) return undefined
  const address = redirectUri.replace(/^(http:\/\/[^/]*):[0-9]+\//, '$1/')
  const row = await db
    .selectFrom('oidc_client_tombstone')
    .select('removed_at')
    .where('school_id', '=', schoolId)
    .where('id', '=', clientId)
    .where(({ eb, val, fn }) => eb(val(createHash('sha256').update(address).digest('hex')), '=', fn.any('redirect_hashes')))
    .where('removed_at', '>', secondsAgo(daySeconds(keptDays)))
    .executeTakeFirst()
  return row?.removed_at
}

/** Forgets clients that were removed too long ago. Returns their number. */
export async function sweepTombstones(db: Reader): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('oidc_client_tombstone')
    .where('removed_at', '<=', secondsAgo(daySeconds(keptDays)))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
