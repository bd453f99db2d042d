import type { Reader, SchoolReader, SchoolWriter, Stored, Writer } from '../connection/database.ts'
import { type Builder, daySeconds, isAmong, isAmongTexts, now, secondsAgo } from '../statements/expressions.ts'
import { storableJson } from '../statements/storableText.ts'
import { rememberRemoved } from './clientTombstones.ts'

/**
 * How a client was added: RFC 7591 registration, a client ID metadata document, the school's file, an operator's command, or the service
 * itself for the API reference.
 */
export type RegisteredVia = 'self' | 'document' | 'file' | 'operator' | 'service'

export interface ClientRow extends Stored<'oidc_client', 'id' | 'created_at' | 'last_used_at' | 'disabled_at'> {
  registered_via: RegisteredVia
  metadata: Record<string, unknown>
  disabled_by: DisabledBy | null
  /** When the staff of the school paused it. */
  paused_at: Date | null
  /** When an owner agreed to it. */
  agreed_at: Date | null
}

/**
 * The origin of a client's disabling. A client that an operator's command or the school's staff disabled stays disabled until somebody
 * enables it: the staff can enable what the staff disabled, a command everything.
 */
export type DisabledBy = 'operator' | 'school' | 'file'

/** Returns true if a person disabled the client, so that the school's file does not enable it. */
export const isDisabledByPerson = (by: DisabledBy | null | undefined): boolean => by === 'operator' || by === 'school'

const byPerson = ['operator', 'school'] as const satisfies readonly DisabledBy[]

/** Returns the client with the rules of its school, unless it has been disabled. */
export function findClient(db: Reader, schoolId: string, id: string): Promise<(ClientRow & { app_rules: unknown }) | undefined> {
  return clientsOf(db, schoolId)
    .select('last_used_at')
    .select(appRules)
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
}

/** Returns the client, disabled or not. */
export function findAnyClient(db: Reader, schoolId: string, id: string): Promise<ClientRow | undefined> {
  return clientsOf(db, schoolId).select('last_used_at').where('id', '=', id).executeTakeFirst()
}

/** Returns the names that clients have given themselves, at most 200 characters of each, by id. */
export async function clientNames(db: SchoolReader, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('oidc_client')
    .select(['id', 'metadata'])
    .where(({ ref }) => isAmongTexts(ref('id'), ids))
    .$narrowType<Pick<ClientRow, 'metadata'>>()
    .execute()
  return new Map(rows.flatMap(({ id, metadata: { client_name: name } }) => (typeof name === 'string' ? [[id, name.slice(0, 200)]] : [])))
}

const appRules = ({ selectFrom }: Builder<'oidc_client'>) =>
  selectFrom('school').select('school.app_rules').whereRef('school.id', '=', 'oidc_client.school_id').$castTo<unknown>().as('app_rules')

export const clientColumns = [
  ...(['oidc_client.id', 'oidc_client.created_at', 'registered_via', 'metadata'] as const),
  ...(['disabled_at', 'disabled_by', 'paused_at', 'agreed_at'] as const),
] as const

const clientsOf = (db: Reader, schoolId: string) =>
  db
    .selectFrom('oidc_client')
    .select(clientColumns)
    .where('oidc_client.school_id', '=', schoolId)
    .$narrowType<Pick<ClientRow, 'registered_via' | 'metadata' | 'disabled_by'>>()

/** Removes a disabled client and ends its grants, so that a later client with the same id inherits none. People still see what it did. */
export async function deleteClient(writer: Writer, schoolId: string, id: string): Promise<void> {
  await writer
    .updateTable('oidc_grant')
    .set({ revoked_at: now })
    .where('school_id', '=', schoolId)
    .where('client_id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
  await writer.deleteFrom('oidc_client').where('school_id', '=', schoolId).where('id', '=', id).execute()
}

/** Pauses a client for everybody, or continues it. Returns false if it was so already. Its grants and tokens stay. */
export async function pauseClient(writer: SchoolWriter, id: string, isPaused: boolean): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('oidc_client')
    .set({ updated_at: now, ...(isPaused ? { paused_at: now } : { paused_at: null, continued_at: now }) })
    .where('id', '=', id)
    .where('paused_at', isPaused ? 'is' : 'is not', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Writes or replaces a client. Its `client_secret`, if it has one, must be a hash by now. A client that a person disabled stays
 * disabled.
 */
export async function saveClient(
  db: Reader,
  client: { schoolId: string; id: string; registeredVia: RegisteredVia; metadata: object; isDisabledByFile?: boolean },
): Promise<void> {
  const isDisabled = client.isDisabledByFile ?? false
  await db
    .insertInto('oidc_client')
    .values({
      school_id: client.schoolId,
      id: client.id,
      registered_via: client.registeredVia,
      metadata: storableJson(client.metadata),
      disabled_at: isDisabled ? now : null,
      disabled_by: isDisabled ? 'file' : null,
    })
    .onConflict((conflict) =>
      conflict.columns(['school_id', 'id']).doUpdateSet((set) => {
        const person = set.case().when('oidc_client.disabled_by', 'in', byPerson)
        return {
          metadata: set.ref('excluded.metadata'),
          registered_via: set.ref('excluded.registered_via'),
          updated_at: now,
          disabled_at: person.then(set.ref('oidc_client.disabled_at')).else(set.ref('excluded.disabled_at')).end(),
          disabled_by: person.then(set.ref('oidc_client.disabled_by')).else(set.ref('excluded.disabled_by')).end(),
        }
      }),
    )
    .execute()
}

/** Stores who disabled a client. An operator's decision replaces that of the school, and neither is replaced by the file. */
export async function noteDisabledBy(db: Reader, client: { schoolId: string; id: string; by: DisabledBy }): Promise<void> {
  await db
    .updateTable('oidc_client')
    .set({ disabled_by: client.by })
    .where('school_id', '=', client.schoolId)
    .where('id', '=', client.id)
    .where('disabled_at', 'is not', null)
    .where((disabled) =>
      disabled.or([
        disabled('disabled_by', 'is', null),
        disabled('disabled_by', 'not in', client.by === 'operator' ? ['operator'] : byPerson),
      ]),
    )
    .execute()
}

/** A client of a school's file, or one with the id of such a client. */
export type ConfiguredClient = Pick<ClientRow, 'id' | 'registered_via' | 'metadata' | 'disabled_at' | 'disabled_by'>

/** Returns the clients of files, and those that files name, by school: one query for all schools. */
export async function listConfiguredClients(
  db: Reader,
  schools: readonly { schoolId: string; clientIds: readonly string[] }[],
): Promise<ReadonlyMap<string, ConfiguredClient[]>> {
  const [schoolIds, named] = [schools.map(({ schoolId }) => schoolId), schools.flatMap(({ clientIds }) => clientIds)]
  const rows = await db
    .selectFrom('oidc_client')
    .select(['school_id', 'id', 'registered_via', 'metadata', 'disabled_at', 'disabled_by'])
    .where(({ ref }) => isAmong(ref('school_id'), schoolIds))
    .where(({ eb, or, ref }) => or([eb('registered_via', '=', 'file'), isAmongTexts(ref('id'), [...new Set(named)])]))
    .$narrowType<Pick<ClientRow, 'registered_via' | 'metadata' | 'disabled_by'>>()
    .execute()
  return Map.groupBy(rows, ({ school_id: schoolId }) => schoolId)
}

/** Returns the clients that identify themselves by a metadata document, of all these schools in one query. */
export function listDocumentClients(
  db: Reader,
  schoolIds: readonly string[],
): Promise<(Pick<ClientRow, 'id' | 'disabled_at' | 'disabled_by'> & { school_id: string })[]> {
  return db
    .selectFrom('oidc_client')
    .select(['school_id', 'id', 'disabled_at', 'disabled_by'])
    .where(({ ref }) => isAmong(ref('school_id'), schoolIds))
    .where('registered_via', '=', 'document')
    .$narrowType<Pick<ClientRow, 'disabled_by'>>()
    .execute()
}

export interface PruneRules {
  /** Age of a registration that was never authorized. */
  neverUsedDays: number
  /** Time since the last authorization of a client without a living grant. */
  idleDays: number
  /** Limits the query to one school; all schools if absent. */
  schoolId?: string
}

export async function countUnusedClients(db: Reader, rules: PruneRules): Promise<number> {
  return (await db.selectFrom('oidc_client').select('id').where(isUnused(rules)).execute()).length
}

/** Days after which the client of a document is removed if it was never authorized. Its next request stores it again. */
const unusedDocumentDays = 1

/**
 * Removes unused clients that registered themselves, by request or by document. A client with a live grant is kept, and so is
 * a disabled client of a document, which its next request would enable. Returns their number.
 */
export async function pruneClients(writer: Writer, rules: PruneRules): Promise<number> {
  const removing = writer.with('removed', (one) =>
    one.deleteFrom('oidc_client').where(isUnused(rules)).returning(['school_id', 'id', 'metadata']),
  )
  return (await rememberRemoved(removing).execute()).length
}

const isUnused =
  ({ neverUsedDays, idleDays, schoolId }: PruneRules) =>
  (client: Builder<'oidc_client'>) =>
    client.and([
      client('registered_via', 'in', ['self', 'document']),
      client.not(client.and([client('registered_via', '=', 'document'), client('disabled_at', 'is not', null)])),
      ...(schoolId === undefined ? [] : [client('school_id', '=', schoolId)]),
      client.or([
        client.and([client('last_used_at', 'is', null), client('created_at', '<', secondsAgo(daySeconds(neverUsedDays)))]),
        client.and([
          client('registered_via', '=', 'document'),
          client('last_used_at', 'is', null),
          client('created_at', '<', secondsAgo(daySeconds(unusedDocumentDays))),
        ]),
        client('last_used_at', '<', secondsAgo(daySeconds(idleDays))),
      ]),
      client.not(client.exists(liveGrant(client))),
    ])

const liveGrant = ({ selectFrom }: Builder<'oidc_client'>) =>
  selectFrom('oidc_grant')
    .select('oidc_grant.id')
    .whereRef('oidc_grant.school_id', '=', 'oidc_client.school_id')
    .whereRef('oidc_grant.client_id', '=', 'oidc_client.id')
    .where('oidc_grant.revoked_at', 'is', null)
    .where('oidc_grant.expires_at', '>', now)
