import { sql } from 'kysely'
import type { PersonCaller } from '../../base/caller.ts'
import { audienceOf } from '../../base/caller.ts'
import { fromPublicId, toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { type Outgoing, stopOutgoing } from '../../database/outbox/outgoing.ts'
import { recordAudit } from '../../database/tables/audit.ts'

interface Stopping {
  writer: SchoolWriter
  school: School
  caller: PersonCaller
  requestId?: string | undefined
  address?: string | undefined
}

/**
 * Stops the e-mails of an activity that wait. People stop those of their apps, and the staff those of all apps. An app stops its own e-mails,
 * unless a person approved the request: they decided that the e-mails leave.
 * @throws Problem not_found, access_denied, or invalid_state if none waits
 */
export async function stopEmails(stopping: Stopping, publicId: string): Promise<Outgoing> {
  const { writer, caller, school, requestId, address } = stopping
  const id = fromPublicId('act', publicId)
  const entry = id === undefined ? undefined : await findActivity(writer, id)
  const isApp = caller.clientId !== ''
  const isOpen = entry && (entry.account_id === caller.accountId || (audienceOf(caller) === 'staff' && !isApp))
  if (!entry || !isOpen || (isApp && entry.client_id !== caller.clientId))
    throw new Problem('not_found', { description: 'The activity does not exist.' })
  if (isApp && entry.is_approved)
    throw new Problem('access_denied', { description: 'A person approved this with its e-mails. They stop them on the page of the app.' })
  const stopped = await stopOutgoing(writer, entry.id)
  if (stopped.leaves_at === null) throw new Problem('invalid_state', { description: 'No e-mails of this activity wait.' })
  const { emails, announcements } = stopped
  await recordAudit(writer, [
    {
      school_id: school.id,
      event: 'activity.emails_stopped',
      account_id: caller.accountId,
      client_id: entry.client_id ?? undefined,
      grant_id: entry.grant_id ?? undefined,
      request_id: requestId,
      address,
      details: { activity: toPublicId('act', entry.id), by: isApp ? 'app' : 'person', emails, announcements },
    },
  ])
  return stopped
}

const findActivity = (writer: SchoolWriter, id: string) =>
  writer
    .selectFrom('audit_log')
    .select(['id', 'account_id', 'client_id', 'grant_id'])
    .select((row) => sql<boolean>`${row.ref('details')} ->> 'approval' IS NOT NULL`.as('is_approved'))
    .where('id', '=', id)
    .executeTakeFirst()
