import type { Sql } from '../../database/connection/sql.ts'
import { aliased } from '../../database/statements/columns.ts'
import type { AccountRow } from '../../database/tables/accounts.ts'
import type { ClientRow } from '../../database/tables/clients.ts'
import { grantContent } from '../../database/tables/grants.ts'
import type { RuledClient } from '../apps/schoolAppRules.ts'
import type { ArtifactKey, FoundArtifact } from './artifacts.ts'
import { successorColumns } from './redeemArtifacts.ts'

/** The rows that a request to the token endpoint or the revocation endpoint names. */
export interface MintingQuery {
  schoolId: string
  clientId: string | undefined
  /** A token or code in the database. Its grant and account are read with it. */
  artifact?: ArtifactKey | undefined
  /** The grant and the account of a code that another store keeps. */
  grantId?: string | undefined
  accountId?: string | undefined
}

/** The current rows behind a token. Undefined: there is no such row, or it has ended. */
export interface MintingFacts {
  artifact: FoundArtifact | undefined
  /** The client that asks, with the rules of its school. */
  client: (Pick<ClientRow, 'metadata' | 'created_at'> & RuledClient) | undefined
  grantId: string | undefined
  grant: Record<string, unknown> | undefined
  /** When the grant of a token of the asking client has expired. */
  grantEndedAt: Date | undefined
  accountId: string | undefined
  account: AccountRow | undefined
  /** Also undefined while the account waits for its deletion. */
  person: { personId: string | null; lecturerId: string | null; role: string | null } | undefined
}

/**
 * Reads the client, the token, its grant and its account with the current role in one statement. Tokens are issued by what this returns,
 * so it is never cached.
 */
export async function readMintingFacts(sql: Sql, query: MintingQuery): Promise<MintingFacts> {
  const { schoolId, clientId, model, id, grantId, accountId } = valuesOf(query)
  const [row] = await sql.query<Row>(statement, [schoolId, clientId, model, id, grantId, accountId], 'minting_facts')
  if (!row) throw new Error('a statement that always returns a row returned none')
  return factsOf(row)
}

/** The same for several requests, in the same order. */
export async function readMintingFactsTogether(sql: Sql, queries: readonly MintingQuery[]): Promise<MintingFacts[]> {
  const items = queries.map((query, n) => ({ n, ...valuesOf(query) }))
  const rows = await sql.query<Row & { n: number }>(statementOfSeveral, [JSON.stringify(items)], 'minting_facts_of_several')
  return rows.toSorted((one, other) => one.n - other.n).map(factsOf)
}

interface Values {
  schoolId: string
  clientId: string | null
  model: string | null
  id: string | null
  grantId: string | null
  accountId: string | null
}

const valuesOf = ({ schoolId, clientId, artifact, grantId, accountId }: MintingQuery): Values => ({
  schoolId,
  clientId: clientId ?? null,
  model: artifact?.model ?? null,
  id: artifact?.id ?? null,
  grantId: grantId ?? null,
  accountId: accountId ?? null,
})

function factsOf(row: Row): MintingFacts {
  const { client_created_at: createdAt, client_metadata: metadata, registered_via, agreed_at, app_rules } = row
  return {
    artifact: row.payload === null ? undefined : { ...artifactOf(row), payload: row.payload },
    client: metadata && registered_via && createdAt ? { metadata, registered_via, created_at: createdAt, agreed_at, app_rules } : undefined,
    grantId: row.wanted_grant_id ?? undefined,
    grant: row.grant_payload && row.grant_expires_at ? grantContent(row.grant_payload, row.grant_expires_at) : undefined,
    grantEndedAt: row.grant_ended_at ?? undefined,
    accountId: row.wanted_account_id ?? undefined,
    account: row.id === null ? undefined : accountOf(row, row.id),
    person: row.can_act ? { personId: row.person_id, lecturerId: row.lecturer_id, role: row.role } : undefined,
  }
}

interface Row extends Omit<AccountRow, 'id'> {
  payload: string | null
  artifact_grant_id: string | null
  artifact_client_id: string | null
  artifact_account_id: string | null
  consumed_at: Date | null
  successor: string | null
  answered_seconds_ago: number | null
  client_metadata: ClientRow['metadata'] | null
  client_created_at: Date | null
  registered_via: ClientRow['registered_via'] | null
  wanted_grant_id: string | null
  grant_payload: Record<string, unknown> | null
  grant_expires_at: Date | null
  grant_ended_at: Date | null
  agreed_at: Date | null
  app_rules: unknown
  wanted_account_id: string | null
  id: string | null
  can_act: boolean | null
  person_id: string | null
  lecturer_id: string | null
  role: string | null
}

const artifactOf = (row: Row): Omit<FoundArtifact, 'payload'> => ({
  grantId: row.artifact_grant_id,
  clientId: row.artifact_client_id,
  accountId: row.artifact_account_id,
  consumedAt: row.consumed_at,
  successor: row.successor,
  answeredSecondsAgo: row.answered_seconds_ago,
})

function accountOf(row: Row, id: string): AccountRow {
  const { email, email_verified, name, given_name, family_name, avatar, locale, time_zone, updated_at, sessions_valid_after } = row
  return { id, email, email_verified, name, given_name, family_name, avatar, locale, time_zone, updated_at, sessions_valid_after }
}

const school = aliased('school')
const account = aliased('account')
const person = aliased('person')
const staff = aliased('staff')
const file = aliased('file')
const token = aliased('oidc_artifact', 'token')
const requesting = aliased('oidc_client', 'asking')
const owner = aliased('oidc_client', 'owner')
const granted = aliased('oidc_grant', 'granted')
const ended = aliased('oidc_grant', 'ended')
const accountColumns = [
  account.id,
  account.email,
  account.email_verified,
  account.name,
  account.given_name,
  account.family_name,
  account.locale,
  account.time_zone,
  account.updated_at,
  account.sessions_valid_after,
]

// One row for every query: each part is joined by the ids that were named or that the token names.
const statementOf = (p: Record<keyof Values, string>): string => `
  SELECT CASE WHEN (${token.grant_id} IS NULL OR ${granted.id} IS NOT NULL) AND (${token.client_id} IS NULL OR ${owner.id} IS NOT NULL)
              THEN ${token.payload} END AS payload,
         ${token.grant_id} AS artifact_grant_id, ${token.client_id} AS artifact_client_id, ${token.account_id} AS artifact_account_id,
         ${token.consumed_at}, ${successorColumns('token')},
         ${requesting.metadata} AS client_metadata, ${requesting.created_at} AS client_created_at, ${requesting.registered_via},
         wanted.grant_id AS wanted_grant_id, ${granted.payload} AS grant_payload, ${granted.expires_at} AS grant_expires_at,
         (SELECT ${ended.expires_at} FROM ${ended}
           WHERE ${ended.school_id} = ${token.school_id} AND ${ended.id} = ${token.grant_id} AND ${token.client_id} = ${p.clientId}
             AND ${ended.revoked_at} IS NULL AND ${ended.expires_at} <= now()) AS grant_ended_at, wanted.account_id AS wanted_account_id,
         ${requesting.agreed_at},
         (SELECT ${school.app_rules} FROM ${school} WHERE ${school.id} = one.school_id) AS app_rules,
         ${accountColumns.join(', ')},
         (SELECT json_build_object('id', ${file.id}, 'filename', ${file.filename}) FROM ${file}
           WHERE ${file.school_id} = ${account.school_id} AND ${file.id} = ${account.avatar_file_id} AND ${file.status} = 'ready') AS avatar,
         ${account.id} IS NOT NULL AND (${account.deletion_scheduled_at} IS NULL OR ${account.deletion_scheduled_at} > now()) AS can_act,
         ${person.id} AS person_id, ${staff.lecturer_id}, ${staff.role}
    FROM (SELECT ${p.schoolId} AS school_id) AS one
    LEFT JOIN ${token} ON ${token.school_id} = one.school_id AND ${token.model} = ${p.model} AND ${token.id} = ${p.id}
                      AND ${token.expires_at} > now()
   CROSS JOIN LATERAL (SELECT coalesce(${p.grantId}, ${token.grant_id}) AS grant_id, coalesce(${p.accountId}, ${token.account_id}) AS account_id) AS wanted
    LEFT JOIN ${requesting} ON ${requesting.school_id} = one.school_id AND ${requesting.id} = ${p.clientId} AND ${requesting.disabled_at} IS NULL
    LEFT JOIN ${owner} ON ${owner.school_id} = one.school_id AND ${owner.id} = ${token.client_id} AND ${owner.disabled_at} IS NULL
    LEFT JOIN ${granted} ON ${granted.school_id} = one.school_id AND ${granted.id} = wanted.grant_id
                        AND ${granted.revoked_at} IS NULL AND ${granted.expires_at} > now()
    LEFT JOIN ${account} ON ${account.school_id} = one.school_id AND ${account.id} = wanted.account_id AND ${account.disabled_at} IS NULL
    LEFT JOIN ${person} ON ${person.school_id} = ${account.school_id} AND ${person.account_id} = ${account.id}
    LEFT JOIN ${staff} ON ${staff.school_id} = ${person.school_id} AND ${staff.person_id} = ${person.id} AND ${staff.status} = 'active'`

const statement = statementOf({
  schoolId: '$1::uuid',
  clientId: '$2::text',
  model: '$3::text',
  id: '$4::text',
  grantId: '$5::text',
  accountId: '$6::uuid',
})

// The parameter is in a subquery, so that PostgreSQL cannot see its size and keeps one plan. OFFSET 0 plans the joins for one query at a time,
// by the keys of the tables, whatever the number of queries and the size of the tables.
const statementOfSeveral = `
  SELECT item.n, fact.*
    FROM jsonb_to_recordset((SELECT $1::jsonb))
           AS item (n int, "schoolId" uuid, "clientId" text, model text, id text, "grantId" text, "accountId" uuid)
   CROSS JOIN LATERAL (${statementOf({
     schoolId: 'item."schoolId"',
     clientId: 'item."clientId"',
     model: 'item.model',
     id: 'item.id',
     grantId: 'item."grantId"',
     accountId: 'item."accountId"',
   })} OFFSET 0) AS fact`
