import { accountPaths } from '../../../base/accountPaths.ts'
import type { School } from '../../../base/school.ts'
import type { Writer } from '../../../database/connection/database.ts'
import type { SendMessage } from '../../../database/outbox/sendMessage.ts'
import { inSchool } from '../../../database/school/inSchool.ts'
import { hoursBefore, now } from '../../../database/statements/expressions.ts'
import { pageUrl } from '../../../identity/accounts/createMailedLink.ts'
import { aboutEvent, addressedTo } from '../eventEmails.ts'

export interface ReminderArguments {
  schools: readonly School[]
  send: SendMessage
  limit: number
}

/**
 * E-mails people with a seat before the event, as the event is set. Each RSVP is marked in the transaction that writes the e-mail, so a
 * person is reminded once, whichever process does it. People who have turned reminders off, are blocked, or took their seat after the
 * time of the reminder get none. Returns the number of RSVPs that are done. Call it in a transaction.
 */
export async function sendEventReminders(writer: Writer, { schools, send, limit }: ReminderArguments): Promise<number> {
  const byId = new Map(schools.map((school) => [school.id, school]))
  if (byId.size === 0) return 0
  const due = await writer
    .selectFrom('event')
    .innerJoin('rsvp', (join) => join.onRef('rsvp.school_id', '=', 'event.school_id').onRef('rsvp.event_id', '=', 'event.id'))
    .innerJoin('person', (join) => join.onRef('person.school_id', '=', 'rsvp.school_id').onRef('person.id', '=', 'rsvp.person_id'))
    .leftJoin('account', (join) => join.onRef('account.school_id', '=', 'person.school_id').onRef('account.id', '=', 'person.account_id'))
    .select((row) => [
      'event.id',
      ...(['rsvp.school_id', 'rsvp.id as rsvp_id', 'person.member_status', 'person.erased_at'] as const),
      ...([
        'person.locale as person_locale',
        'account.locale as account_locale',
        'account.disabled_at',
        'account.id as account_id',
      ] as const),
      row.fn.coalesce('account.email', 'person.email').as('email'),
      row.ref('account.preferences').$castTo<{ event_reminders?: string } | null>().as('preferences'),
      row('rsvp.status_changed_at', '>', hoursBefore(row.ref('event.starts_at'), row.ref('event.reminder_hours'))).as('is_late'),
    ])
    .where('event.school_id', 'in', [...byId.keys()])
    .where('event.status', '=', 'published')
    .where('event.reminder_hours', 'is not', null)
    .where('event.starts_at', '>', now)
    .where((row) => row(hoursBefore(row.ref('event.starts_at'), row.ref('event.reminder_hours')), '<=', now))
    .where('rsvp.status', '=', 'going')
    .where('rsvp.reminded_at', 'is', null)
    .orderBy('event.starts_at')
    .orderBy('rsvp.id')
    .limit(limit)
    .forUpdate('rsvp')
    .skipLocked()
    .execute()
  if (due.length === 0) return 0
  for (const [schoolId, rsvps] of Map.groupBy(due, (one) => one.school_id)) {
    await writer
      .updateTable('rsvp')
      .set({ reminded_at: now })
      .where('school_id', '=', schoolId)
      .where(
        'id',
        'in',
        rsvps.map((one) => one.rsvp_id),
      )
      .execute()
    const school = byId.get(schoolId)
    if (!school) continue
    for (const group of Map.groupBy(rsvps.filter(isWanted), (one) => one.id).values()) {
      const [event] = group
      if (!event) continue
      const values = {
        ...(await aboutEvent(inSchool(writer, schoolId), school, event.id, { hasSeat: true })),
        notifications: pageUrl(school, accountPaths.notifications),
      }
      await send(
        writer,
        school,
        group.map((one) => ({ ...addressedTo(one), accountId: one.account_id })),
        'event_reminder',
        values,
      )
    }
  }
  return due.length
}

interface Reminded {
  member_status: string | null
  erased_at: Date | null
  disabled_at: Date | null
  preferences: { event_reminders?: string } | null
  is_late: unknown
}

const isWanted = ({ member_status, erased_at, disabled_at, preferences, is_late }: Reminded): boolean =>
  erased_at === null && disabled_at === null && member_status !== 'blocked' && preferences?.event_reminders !== 'none' && is_late !== true
