import { sql } from 'kysely'
import type { Reader, SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { type Builder, now } from '../../database/statements/expressions.ts'
import { type ClientRow, clientColumns, type RegisteredVia } from '../../database/tables/clients.ts'
import type { GrantPayload } from '../../database/tables/connectedApps.ts'
import type { RuledClient, SchoolAppRules } from './schoolAppRules.ts'

/** A client of a school, with how many people have given it access. */
export interface SchoolAppRow
  extends Pick<ClientRow, 'id' | 'created_at' | 'registered_via' | 'metadata' | 'disabled_at' | 'disabled_by' | 'paused_at' | 'agreed_at'> {
  people: number
  grants: number
  last_used_at: Date | null
  /** When the last of the grants ends. */
  ends_at: Date | null
}

/** Which clients to list: those that somebody has given access or wants to, or that are disabled, or the ones that the school or its operator set up. */
export type SchoolAppKind = 'connected' | 'integrations'

const integrationsVia: readonly RegisteredVia[] = ['file', 'operator', 'service']

/** Returns clients of a school, those with the most people first. A grant counts once an app has redeemed it. */
export async function listSchoolApps(
  db: Reader,
  schoolId: string,
  { offset, limit, ...which }: ({ kind: SchoolAppKind } | { clientId: string }) & { offset: number; limit: number },
): Promise<SchoolAppRow[]> {
  const rows = await db
    .selectFrom('oidc_client')
    .leftJoin(
      liveGrants(db, schoolId)
        .select('client_id')
        .select(({ fn }) => [
          fn.countAll<string>().as('grants'),
          fn.count<string>('account_id').distinct().as('people'),
          fn.max('last_used_at').as('last_used_at'),
          fn.max('expires_at').as('ends_at'),
        ])
        .groupBy('client_id')
        .as('live'),
      'live.client_id',
      'oidc_client.id',
    )
    .select(clientColumns)
    .select(['live.grants', 'live.people', 'live.last_used_at', 'live.ends_at'])
    .where('oidc_client.school_id', '=', schoolId)
    .where((client) =>
      'clientId' in which
        ? client('oidc_client.id', '=', which.clientId)
        : which.kind === 'integrations'
          ? client('registered_via', 'in', integrationsVia)
          : client.or([client('live.client_id', 'is not', null), client('disabled_at', 'is not', null), client.exists(wanted(client))]),
    )
    .orderBy(({ fn, val }) => fn.coalesce('live.people', sql<string>`${val(0)}`), 'desc')
    .orderBy('oidc_client.created_at', 'desc')
    .orderBy('oidc_client.id')
    .offset(offset)
    .limit(limit)
    .$narrowType<Pick<ClientRow, 'registered_via' | 'metadata' | 'disabled_by'>>()
    .execute()
  return rows.map((row) => ({ ...row, people: Number(row.people ?? 0), grants: Number(row.grants ?? 0) }))
}

/** Returns the different contents of the live grants of these clients. */
export async function listGrantedContents(
  db: Reader,
  schoolId: string,
  clientIds: readonly string[],
): Promise<{ client_id: string; payload: GrantPayload }[]> {
  if (clientIds.length === 0) return []
  const rows = await liveGrants(db, schoolId)
    .select('client_id')
    .select(({ ref }) => [
      sql<GrantPayload['openid'] | null>`${ref('payload')} -> 'openid'`.as('openid'),
      sql<GrantPayload['resources'] | null>`${ref('payload')} -> 'resources'`.as('resources'),
    ])
    .distinct()
    .where('client_id', 'in', clientIds)
    .limit(2000)
    .execute()
  return rows.map(({ client_id, openid, resources }) => ({
    client_id,
    payload: { ...(openid && { openid }), ...(resources && { resources }) },
  }))
}

export function listGrantsOfClient(
  db: SchoolReader,
  { clientId, limit }: { clientId: string; limit: number },
): Promise<{ id: string; account_id: string }[]> {
  return db
    .selectFrom('oidc_grant')
    .select(['id', 'account_id'])
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .limit(limit)
    .execute()
}

/** The signal of a person who wants to use a client to which no owner has agreed. */
const wanted = (client: Builder<'oidc_client'>) =>
  client
    .selectFrom('app_signal')
    .select('app_signal.kind')
    .whereRef('app_signal.school_id', '=', 'oidc_client.school_id')
    .whereRef('app_signal.client_id', '=', 'oidc_client.id')
    .where('app_signal.kind', '=', 'asked')
    .where('oidc_client.agreed_at', 'is', null)

const liveGrants = (db: Reader, schoolId: string) =>
  db
    .selectFrom('oidc_grant')
    .where('school_id', '=', schoolId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_used_at', 'is not', null)

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
    .select(['app_rules', 'registered_via', 'agreed_at', 'metadata'])
    .$narrowType<{ registered_via: RegisteredVia | null; metadata: ClientRow['metadata'] | null }>()
    .executeTakeFirst()
  const { registered_via, agreed_at = null, metadata, app_rules } = row ?? {}
  return { registered_via: registered_via ?? 'self', agreed_at, metadata: metadata ?? {}, app_rules }
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
