import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { Role } from '../../base/caller.ts'
import type { Reader } from '../../database/connection/database.ts'
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

/** Loads a grant with its client, its account, the account's person and role, and the client that asks, in one statement. */
export async function loadFacts(
  db: Reader,
  schoolId: string,
  { grantId, callerId }: { grantId: string | undefined; callerId: string | undefined },
): Promise<TokenFacts> {
  const row = await db
    .selectFrom('school')
    .leftJoin('oidc_grant as g', (join) => join.onRef('g.school_id', '=', 'school.id').on('g.id', '=', grantId ?? ''))
    .leftJoin('oidc_client as c', (join) => join.onRef('c.school_id', '=', 'g.school_id').onRef('c.id', '=', 'g.client_id'))
    .leftJoin('oidc_client as k', (join) => join.onRef('k.school_id', '=', 'school.id').on('k.id', '=', callerId ?? ''))
    .leftJoin('account as a', (join) => join.onRef('a.school_id', '=', 'g.school_id').onRef('a.id', '=', 'g.account_id'))
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
