import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { Role } from '../../base/caller.ts'
import type { Reader } from '../../database/connection/database.ts'
import type { FactVersions } from '../../database/facts/fact.ts'
import type { FactCache, Reading } from '../../database/facts/factCache.ts'
import type { AccountRow } from '../../database/tables/accounts.ts'
import type { ClientRow, RegisteredVia } from '../../database/tables/clients.ts'
import type { RuledClient } from '../apps/schoolAppRules.ts'

export interface ClientFacts extends Pick<ClientRow, 'id' | 'registered_via' | 'created_at' | 'metadata'>, RuledClient {
  isDisabled: boolean
  /** True if the staff of the school paused it. */
  isPaused: boolean
}

export interface GrantFacts {
  id: string
  clientId: string
  accountId: string
  payload: Record<string, unknown>
  isRevoked: boolean
  /** True if the person paused it. */
  isPaused: boolean
  /** True if the person decides before the app does what cannot be undone. */
  asksFirst: boolean
  expiresAt: Date
}

export interface AccountFacts extends AccountRow {
  isDisabled: boolean
  deletionScheduledAt: Date | null
  personId: string | null
  lecturerId: string | null
  role: Role
}

/** The rows that decide about one token; a member is missing if its row does not exist. */
export interface TokenFacts {
  grant?: GrantFacts | undefined
  client?: ClientFacts | undefined
  account?: AccountFacts | undefined
  /** The client that asks about the token. */
  caller?: ClientFacts | undefined
}

/**
 * Loads a grant with its client, its account, the account's person and role, and the client that asks, in one statement. Without a grant, the
 * account is the one that is named.
 */
export async function loadFacts(
  db: Reader,
  schoolId: string,
  { grantId, callerId, accountId }: Pick<FactIds, 'grantId' | 'callerId' | 'accountId'>,
): Promise<TokenFacts> {
  const named = grantId === undefined ? accountId : undefined
  const row = await db
    .selectFrom('school')
    .leftJoin('oidc_grant as g', (join) => join.onRef('g.school_id', '=', 'school.id').on('g.id', '=', grantId ?? ''))
    .leftJoin('oidc_client as c', (join) => join.onRef('c.school_id', '=', 'g.school_id').onRef('c.id', '=', 'g.client_id'))
    .leftJoin('oidc_client as k', (join) => join.onRef('k.school_id', '=', 'school.id').on('k.id', '=', callerId ?? ''))
    .leftJoin('account as a', (join) =>
      named === undefined
        ? join.onRef('a.school_id', '=', 'g.school_id').onRef('a.id', '=', 'g.account_id')
        : join.onRef('a.school_id', '=', 'school.id').on('a.id', '=', named),
    )
    .leftJoin('person as p', (join) => join.onRef('p.school_id', '=', 'a.school_id').onRef('p.account_id', '=', 'a.id'))
    .leftJoin('staff as s', (join) =>
      join.onRef('s.school_id', '=', 'p.school_id').onRef('s.person_id', '=', 'p.id').on('s.status', '=', 'active'),
    )
    .select(['g.id as g_id', 'g.client_id as g_client_id', 'g.account_id as g_account_id', 'g.payload as g_payload'])
    .select(['g.revoked_at as g_revoked_at', 'g.paused_at as g_paused_at', 'g.asks_first as g_asks_first', 'g.expires_at as g_expires_at'])
    .select(['c.id as c_id', 'c.registered_via as c_registered_via', 'c.created_at as c_created_at', 'c.metadata as c_metadata'])
    .select(['c.disabled_at as c_disabled_at', 'c.paused_at as c_paused_at', 'c.agreed_at as c_agreed_at', 'school.app_rules'])
    .select(['k.id as k_id', 'k.registered_via as k_registered_via', 'k.created_at as k_created_at', 'k.metadata as k_metadata'])
    .select(['k.disabled_at as k_disabled_at', 'k.paused_at as k_paused_at', 'k.agreed_at as k_agreed_at'])
    .select(['a.id', 'a.email', 'a.email_verified', 'a.name', 'a.given_name', 'a.family_name', 'a.locale', 'a.time_zone', 'a.updated_at'])
    .select(['a.sessions_valid_after', 'a.disabled_at', 'a.deletion_scheduled_at', 'p.id as person_id', 's.role', 's.lecturer_id'])
    .select(({ selectFrom }) =>
      selectFrom('file')
        .select(({ ref }) => jsonBuildObject({ id: ref('file.id'), filename: ref('file.filename') }).as('picture'))
        .whereRef('file.school_id', '=', 'a.school_id')
        .whereRef('file.id', '=', 'a.avatar_file_id')
        .where('file.status', '=', 'ready')
        .as('avatar'),
    )
    .where('school.id', '=', schoolId)
    .$castTo<FactRow>()
    .executeTakeFirst()
  if (!row) return {}
  return {
    grant: row.g_id === null ? undefined : grantOf(row, row.g_id),
    client: row.c_id === null ? undefined : clientOf(row, row.c_id),
    caller: row.k_id === null ? undefined : callerOf(row, row.k_id),
    account: row.id === null ? undefined : accountOf(row, row.id),
  }
}

/** The columns of a row that does not exist are null: its id decides. */
interface FactRow extends Omit<AccountRow, 'id'> {
  g_id: string | null
  g_client_id: string
  g_account_id: string
  g_payload: Record<string, unknown>
  g_revoked_at: Date | null
  g_paused_at: Date | null
  g_asks_first: boolean
  g_expires_at: Date
  c_id: string | null
  c_registered_via: RegisteredVia
  c_created_at: Date
  c_metadata: Record<string, unknown>
  c_disabled_at: Date | null
  c_paused_at: Date | null
  c_agreed_at: Date | null
  app_rules: unknown
  k_id: string | null
  k_registered_via: RegisteredVia
  k_created_at: Date
  k_metadata: Record<string, unknown>
  k_disabled_at: Date | null
  k_paused_at: Date | null
  k_agreed_at: Date | null
  id: string | null
  disabled_at: Date | null
  deletion_scheduled_at: Date | null
  person_id: string | null
  role: Role | null
  lecturer_id: string | null
}

const grantOf = (row: FactRow, id: string): GrantFacts => ({
  id,
  clientId: row.g_client_id,
  accountId: row.g_account_id,
  payload: row.g_payload,
  isRevoked: row.g_revoked_at !== null,
  isPaused: row.g_paused_at !== null,
  asksFirst: row.g_asks_first,
  expiresAt: row.g_expires_at,
})

const clientOf = (row: FactRow, id: string): ClientFacts => ({
  id,
  registered_via: row.c_registered_via,
  created_at: row.c_created_at,
  metadata: row.c_metadata,
  isDisabled: row.c_disabled_at !== null,
  isPaused: row.c_paused_at !== null,
  agreed_at: row.c_agreed_at,
  app_rules: row.app_rules,
})

const callerOf = (row: FactRow, id: string): ClientFacts => ({
  id,
  registered_via: row.k_registered_via,
  created_at: row.k_created_at,
  metadata: row.k_metadata,
  isDisabled: row.k_disabled_at !== null,
  isPaused: row.k_paused_at !== null,
  agreed_at: row.k_agreed_at,
  app_rules: row.app_rules,
})

const accountOf = (row: FactRow, id: string): AccountFacts => ({
  id,
  email: row.email,
  email_verified: row.email_verified,
  name: row.name,
  given_name: row.given_name,
  family_name: row.family_name,
  avatar: row.avatar,
  locale: row.locale,
  time_zone: row.time_zone,
  updated_at: row.updated_at,
  sessions_valid_after: row.sessions_valid_after,
  isDisabled: row.disabled_at !== null,
  deletionScheduledAt: row.deletion_scheduled_at,
  personId: row.person_id,
  lecturerId: row.lecturer_id,
  role: row.role ?? 'learner',
})

/** The ids that a token names, and the client that asks about it. */
export interface FactIds {
  grantId?: string | undefined
  clientId?: string | undefined
  accountId?: string | undefined
  callerId?: string | undefined
}

export interface FactQuestion {
  schoolId: string
  ids: FactIds
  versions: FactVersions
  reading: Reading
}

/** Returns the facts that a request needs: from memory if all of them are current there, otherwise from the database in one statement. */
export async function readFacts(db: Reader, cache: FactCache, question: FactQuestion): Promise<TokenFacts> {
  return fromMemory(cache, question) ?? (await fromDatabase(db, cache, question))
}

const nameOf = (kind: 'grant' | 'client' | 'account', schoolId: string, id: string): string => `${kind} ${schoolId} ${id}`

function fromMemory(cache: FactCache, { schoolId, ids, versions, reading }: FactQuestion): TokenFacts | undefined {
  const kept = <Value extends object>(kind: 'grant' | 'client' | 'account', id: string | undefined, version: string | undefined) =>
    id === undefined ? undefined : cache.get<Value>(nameOf(kind, schoolId, id), version, reading)
  const facts: TokenFacts = {
    grant: kept<GrantFacts>('grant', ids.grantId, versions.grant),
    client: kept<ClientFacts>('client', ids.clientId, versions.client),
    account: kept<AccountFacts>('account', ids.accountId, versions.account),
    caller: kept<ClientFacts>('client', ids.callerId, versions.caller),
  }
  const isWhole =
    (ids.grantId === undefined || isStillAlive(facts.grant)) &&
    (ids.clientId === undefined || facts.client !== undefined) &&
    (ids.accountId === undefined || facts.account !== undefined) &&
    (ids.callerId === undefined || facts.caller !== undefined)
  return isWhole ? facts : undefined
}

/** True if the grant has not ended by what this process knows. Otherwise the database is asked. */
const isStillAlive = (grant: GrantFacts | undefined): boolean => grant !== undefined && grant.expiresAt.getTime() > Date.now()

async function fromDatabase(db: Reader, cache: FactCache, { schoolId, ids, versions, reading }: FactQuestion): Promise<TokenFacts> {
  const { grant, client, account, caller } = await loadFacts(db, schoolId, ids)
  // The versions belong to what the token names.
  const facts: TokenFacts = {
    grant,
    client: client?.id === ids.clientId ? client : undefined,
    account: account?.id === ids.accountId ? account : undefined,
    caller,
  }
  if (facts.grant) cache.keep(nameOf('grant', schoolId, facts.grant.id), versions.grant, reading, facts.grant)
  if (facts.client) cache.keep(nameOf('client', schoolId, facts.client.id), versions.client, reading, facts.client)
  if (facts.account) cache.keep(nameOf('account', schoolId, facts.account.id), versions.account, reading, facts.account)
  if (caller) cache.keep(nameOf('client', schoolId, caller.id), versions.caller, reading, caller)
  return facts
}
