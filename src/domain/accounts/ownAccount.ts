import type { Kysely } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { hashedId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import type { Authorization, BrowserSession, ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { Sql } from '../../store/sql.ts'
import { beginEmailChange } from './emailChange.ts'
import { mailAddress } from './mailAddress.ts'
import { membershipFrom, membershipOf, type StoredMembership } from './membership.ts'

interface EmailChange {
  sql: Sql
  school: School
  externalServices: Pick<ExternalServices, 'send'>
  enqueue(name: string, work: () => Promise<void>): void
}

/**
 * Begins the change of the caller's own address, or sends its link again. What is answered is the same whoever has the address.
 * @throws Problem validation_failed, or invalid_state where there is no change to send again
 */
export async function changeEmail(
  { sql, school, externalServices, enqueue }: EmailChange,
  account: { id: string; email: string; locale: string | null },
  typed: string | null,
): Promise<{ pending_email: string | null }> {
  if (typed === null)
    throw new Problem('invalid_state', { description: 'No change of the address is under way. Send the new address to /account/email.' })
  const email = mailAddress(typed)
  if (email === undefined) {
    throw new Problem('validation_failed', {
      details: [{ field: 'email', code: 'format', message: 'email: mail cannot be sent to this address' }],
    })
  }
  const { pendingEmail, tell } = await beginEmailChange(sql, school, {
    accountId: account.id,
    current: account.email,
    email,
    locale: account.locale,
  })
  if (tell) enqueue('change of address', () => tell(externalServices.send))
  return { pending_email: pendingEmail }
}

/** What the caller allowed to apps, newest first. */
export const listAuthorizations = async (
  { authorizations }: Pick<ExternalServices, 'authorizations'>,
  school: School,
  accountId: string,
) => ({
  object: 'list',
  data: (await authorizations.list(school.id, accountId)).map(presentAuthorization),
})

/** The browsers in which the caller is signed in, latest first. */
export const listSessions = async ({ sessions }: Pick<ExternalServices, 'sessions'>, school: School, accountId: string) => ({
  object: 'list',
  data: (await sessions.list(school.id, accountId)).map(presentSession),
})

/** @throws Problem not_found for what is not the caller's own, as for what is not there */
export async function revokeAuthorization(
  sql: Sql,
  { authorizations }: Pick<ExternalServices, 'authorizations'>,
  school: School,
  { accountId, id }: { accountId: string; id: string },
): Promise<Record<string, never>> {
  const own = await authorizations.list(school.id, accountId, sql)
  const found = own.find(({ grantId }) => authorizationId(grantId) === id)
  if (!found) throw new Problem('not_found', { description: 'There is no such authorization.' })
  await authorizations.end(sql, school.id, found.grantId)
  return {}
}

/** @throws Problem not_found, as above */
export async function endSession(
  sql: Sql,
  { sessions }: Pick<ExternalServices, 'sessions'>,
  school: School,
  { accountId, id }: { accountId: string; id: string },
): Promise<Record<string, never>> {
  const own = await sessions.list(school.id, accountId, sql)
  const found = own.find((session) => sessionId(session.id) === id)
  if (!found) throw new Problem('not_found', { description: 'There is no such session.' })
  await sessions.end(sql, school.id, found.id)
  return {}
}

interface OwnRow extends Record<string, unknown> {
  id: string
  preferences: unknown
}

/** Everything that is kept under the caller's account. */
export async function exportAccount(
  {
    database,
    school,
    externalServices,
  }: { database: Kysely<DB>; school: School; externalServices: Pick<ExternalServices, 'authorizations' | 'sessions'> },
  row: OwnRow,
) {
  const { membership } = await database
    .selectFrom('account')
    .select((account) => (membershipOf(account) as never as { as(name: string): never }).as('membership'))
    .where('school_id', '=', school.id)
    .where('id', '=', row.id)
    .$castTo<{ membership: StoredMembership | null }>()
    .executeTakeFirstOrThrow()
  const files = await database
    .selectFrom('file')
    .select(['id', 'filename', 'bytes', 'created_at'])
    .where('school_id', '=', school.id)
    .where('uploaded_by', '=', row.id)
    .orderBy('id')
    .execute()
  return {
    object: 'account_export',
    account: { ...row, notification_preferences: row.preferences, membership: membershipFrom(membership) },
    authorizations: (await externalServices.authorizations.list(school.id, row.id)).map(presentAuthorization),
    sessions: (await externalServices.sessions.list(school.id, row.id)).map(presentSession),
    files: files.map(({ bytes, ...file }) => ({ ...file, byte_size: Number(bytes) })),
  }
}

const authorizationId = (grantId: string): string => hashedId('aut', grantId)
const sessionId = (id: string): string => hashedId('ses', id)

const presentAuthorization = ({ grantId, clientId, clientName, scopes, allowedAt, lastUsedAt }: Authorization) => ({
  id: authorizationId(grantId),
  object: 'authorization',
  client: { client_id: clientId, client_name: typeof clientName === 'string' ? clientName.slice(0, 200) : null },
  scopes: [...scopes].toSorted(),
  granted_at: allowedAt,
  last_used_at: lastUsedAt ?? null,
})

const presentSession = ({ id, signedInAt, expiresAt }: BrowserSession) => ({
  id: sessionId(id),
  object: 'session',
  signed_in_at: signedInAt,
  expires_at: expiresAt,
})
