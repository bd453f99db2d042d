import { sql } from 'kysely'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import type { RegisteredVia } from '../../database/tables/clients.ts'
import type { RuledClient, SchoolAppRules } from './schoolAppRules.ts'

const ownRegistrations = ['self', 'document'] as const satisfies readonly RegisteredVia[]

/** Returns the stored app rules of the school. `isLocked` locks them until the transaction ends. */
export async function findAppRules(db: SchoolReader, { isLocked = false } = {}): Promise<unknown> {
  const row = await db
    .selectFrom('school')
    .select('app_rules')
    .$if(isLocked, (school) => school.forNoKeyUpdate())
    .executeTakeFirst()
  return row?.app_rules
}

/** Returns a client with the rules of its school; one that is gone as if it had registered itself. */
export async function findRuledClient(db: SchoolReader, clientId: string): Promise<RuledClient> {
  const row = await db
    .selectFrom('school')
    .leftJoin('oidc_client', (join) => join.onRef('oidc_client.school_id', '=', 'school.id').on('oidc_client.id', '=', clientId))
    .select(['app_rules', 'registered_via', 'agreed_at'])
    .$narrowType<{ registered_via: RegisteredVia | null }>()
    .executeTakeFirst()
  return { registered_via: row?.registered_via ?? 'self', agreed_at: row?.agreed_at ?? null, app_rules: row?.app_rules }
}

export async function saveAppRules(writer: SchoolWriter, rules: SchoolAppRules): Promise<void> {
  await writer
    .updateTable('school')
    .set({ app_rules: JSON.stringify(rules) })
    .execute()
}

/** Agrees to a client. Returns false if an owner had done so. */
export async function agreeToClient(writer: SchoolWriter, id: string): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('oidc_client')
    .set({ agreed_at: now })
    .where('id', '=', id)
    .where('agreed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Ends the accesses to apps that registered themselves after so many days at the latest. */
export async function shortenGrants(writer: SchoolWriter, days: number): Promise<void> {
  const end = sql<Date>`now() + make_interval(days => ${days}::int)`
  await writer
    .updateTable('oidc_grant')
    .set({ expires_at: end })
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', end)
    .where('client_id', 'in', ({ selectFrom }) => selectFrom('oidc_client').select('id').where('registered_via', 'in', ownRegistrations))
    .execute()
}

/** Agrees to the apps that registered themselves and that people use. */
export async function agreeToUsed(writer: SchoolWriter): Promise<void> {
  await writer
    .updateTable('oidc_client')
    .set({ agreed_at: now })
    .where('registered_via', 'in', ownRegistrations)
    .where('agreed_at', 'is', null)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('oidc_grant')
        .select('client_id')
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
        .where('last_used_at', 'is not', null),
    )
    .execute()
}
