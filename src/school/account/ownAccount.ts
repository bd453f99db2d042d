import type { PersonCaller } from '../../base/caller.ts'
import { hashedId } from '../../base/ids.ts'
import { fieldProblem, Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import { deliverableEmail } from '../../base/text/emailAddress.ts'
import type { SchoolReader, SchoolWriter, Stored } from '../../database/connection/database.ts'
import { countChanges } from '../../database/tables/readAudit.ts'
import type { Authorization, ExternalServices } from '../../engine/externalServices.ts'
import { beginEmailChange } from '../../identity/accounts/emailChange.ts'
import { membershipFrom, membershipOf } from './membership.ts'
import { ownPreferences } from './ownPreferences.ts'
import { endSignIn, listSignIns, type SignIn } from './signIns.ts'

interface EmailChange {
  writer: SchoolWriter
  school: School
  caller: Pick<PersonCaller, 'language'>
  externalServices: Pick<ExternalServices, 'send' | 'emailLimits'>
}

/**
 * Starts the change of the caller's own address, or sends its link again. The response does not reveal whether the address is in use.
 * @throws Problem validation_failed, rate_limited, or invalid_state if there is no pending change to send again
 */
export async function changeEmail(
  { writer, school, caller, externalServices }: EmailChange,
  account: { id: string; email: string; locale: string | null },
  typed: string | null,
): Promise<{ pending_email: string | null }> {
  if (typed === null)
    throw new Problem('invalid_state', { description: 'No address change is pending. Send the new address to /account/email.' })
  const email = deliverableEmail(typed)
  if (email === undefined) {
    throw fieldProblem('validation_failed', 'email', 'format', 'must be an address that mail can be sent to')
  }
  if (email !== account.email) await externalServices.emailLimits.requireRequested(school, email)
  const { pendingEmail } = await beginEmailChange({ writer, send: externalServices.send }, school, {
    accountId: account.id,
    current: account.email,
    email,
    locales: [caller.language, account.locale],
  })
  return { pending_email: pendingEmail }
}

interface OwnReading {
  database: SchoolReader
  externalServices: Pick<ExternalServices, 'authorizations'>
}

export const listAuthorizations = async (reading: OwnReading, school: School, accountId: string) => ({
  data: await presentAuthorizations(reading, school, accountId),
})

export const listSessions = async (
  reading: { database: SchoolReader; externalServices: Pick<ExternalServices, 'sessions'> },
  accountId: string,
) => ({
  data: (await listSignIns(reading, accountId)).map(presentSession),
})

interface RevocationRequest {
  writer: SchoolWriter
  caller: Pick<PersonCaller, 'clientId'>
  externalServices: Pick<ExternalServices, 'authorizations'>
  requestId?: string | undefined
  address?: string | undefined
}

/**
 * Revokes an authorization of the caller.
 * @throws Problem not_found, also for an authorization of another account
 */
export async function revokeAuthorization(
  { writer, caller, externalServices: { authorizations }, requestId, address }: RevocationRequest,
  { accountId, id }: { accountId: string; id: string },
): Promise<Record<string, never>> {
  const own = await authorizations.list(writer.schoolId, accountId, writer)
  const found = own.find(({ grantId }) => authorizationId(grantId) === id)
  if (!found) throw new Problem('not_found', { description: 'The authorization does not exist.' })
  const grant = { schoolId: writer.schoolId, grantId: found.grantId, accountId, clientId: found.clientId }
  // On the account pages, people act themselves.
  const by = caller.clientId === '' ? ({ by: 'person' } as const) : ({ by: 'api', client: caller.clientId } as const)
  await authorizations.end(writer, grant, { ...by, requestId, address })
  return {}
}

/**
 * Ends a browser session of the caller.
 * @throws Problem not_found, also for a session of another account
 */
export async function endSession(
  writer: SchoolWriter,
  externalServices: Pick<ExternalServices, 'sessions'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<Record<string, never>> {
  const isEnded = await endSignIn(writer, externalServices, { accountId, id })
  if (!isEnded) throw new Problem('not_found', { description: 'The session does not exist.' })
  return {}
}

type OwnRow = Record<string, unknown> & Stored<'account', 'id' | 'preferences'>

export async function exportAccount(
  {
    database,
    school,
    externalServices,
  }: { database: SchoolReader; school: School; externalServices: Pick<ExternalServices, 'authorizations' | 'sessions'> },
  row: OwnRow,
) {
  const { membership, preferences } = await database
    .selectFrom('account')
    .select((account) => [membershipOf(account).as('membership'), ownPreferences(account).as('preferences')])
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow()
  return {
    object: 'account_export',
    account: { ...row, notification_preferences: preferences, membership: membershipFrom(membership) },
    authorizations: await presentAuthorizations({ database, externalServices }, school, row.id),
    sessions: (await listSignIns({ database, externalServices }, row.id)).map(presentSession),
  }
}

const authorizationId = (grantId: string): string => hashedId('aut', grantId)

/** The days of `changes_30d`. */
const countedDays = 30

/** Returns the live authorizations of an account as the API shows them, the newest first. */
export async function presentAuthorizations({ database, externalServices }: OwnReading, { id: schoolId }: School, accountId: string) {
  const authorizations = await externalServices.authorizations.list(schoolId, accountId)
  const changes = await countChanges(database, schoolId, { grantIds: authorizations.map(({ grantId }) => grantId), days: countedDays })
  return authorizations.map((one) => presentAuthorization(one, changes.get(one.grantId) ?? 0))
}

const presentAuthorization = (
  { grantId, clientId, clientName, ownName, scopes, allowedAt, lastUsedAt, endsAt, pausedAt }: Authorization,
  changes: number,
) => ({
  id: authorizationId(grantId),
  object: 'authorization',
  client: { client_id: clientId, client_name: typeof clientName === 'string' ? clientName.slice(0, 200) : null },
  name: ownName ?? null,
  scopes: [...scopes].toSorted(),
  granted_at: allowedAt,
  last_used_at: lastUsedAt ?? null,
  expires_at: endsAt,
  changes_30d: changes,
  paused_at: pausedAt ?? null,
})

const presentSession = ({ id, signedInAt, expiresAt, browser, system, network }: SignIn) => ({
  id,
  object: 'session',
  signed_in_at: signedInAt,
  expires_at: expiresAt,
  browser,
  system,
  network,
})
