import { accountFormPath } from '../../../base/accountPaths.ts'
import { toPublicId } from '../../../base/ids.ts'
import type { School } from '../../../base/school.ts'
import type { Writer } from '../../../database/connection/database.ts'
import type { SendMessage } from '../../../database/outbox/sendMessage.ts'
import { inSchool } from '../../../database/school/inSchool.ts'
import { now, secondsAgo } from '../../../database/statements/expressions.ts'
import { pageUrl } from '../../../identity/accounts/createMailedLink.ts'
import { staffRecipients } from '../../staff/staffRecipients.ts'

export interface DigestArguments {
  schools: readonly School[]
  send: SendMessage
  limit: number
}

/** A form is reported at most once in this time, so that many submissions do not become many e-mails. */
const secondsBetweenDigests = 3600

/**
 * E-mails the owners and admins how many submissions their forms have received since the last e-mail. Nothing that a visitor entered is
 * in the e-mail. Returns the number of forms. Call it in a transaction.
 */
export async function sendFormDigests(writer: Writer, { schools, send, limit }: DigestArguments): Promise<number> {
  const ids = new Map(schools.map((school) => [school.id, school]))
  if (ids.size === 0) return 0
  const forms = await writer
    .selectFrom('form')
    .select(['school_id', 'id', 'title', 'unreported_count'])
    .where('school_id', 'in', [...ids.keys()])
    .where('notifies_staff', '=', true)
    .where('unreported_count', '>', 0)
    .where((form) => form.or([form('reported_at', 'is', null), form('reported_at', '<=', secondsAgo(secondsBetweenDigests))]))
    .orderBy('school_id')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const { school_id, id, title, unreported_count } of forms) {
    const school = ids.get(school_id)
    await writer
      .updateTable('form')
      .set({ unreported_count: 0, reported_at: now })
      .where('school_id', '=', school_id)
      .where('id', '=', id)
      .execute()
    if (!school) continue
    const answers = pageUrl(school, accountFormPath(toPublicId('frm', id)))
    const values = { form: title, submissions: String(unreported_count), answers }
    await send(writer, school, await staffRecipients(inSchool(writer, school_id), ['owner', 'admin']), 'form_submissions', values)
  }
  return forms.length
}
