import { accountPaths } from '../../base/accountPaths.ts'
import { inSchool } from '../../database/school/inSchool.ts'
import { recordAudit } from '../../database/tables/audit.ts'
import type { NamedAuditEvent } from '../../database/tables/auditEvents.ts'
import { countWaiting } from '../../database/tables/proposals.ts'
import { peopleWaitedFor } from '../../database/tables/waitingRequests.ts'
import { pageUrl } from '../../identity/accounts/createMailedLink.ts'
import type { With } from './jobContext.ts'

/** Requests are collected for so long; a person gets an e-mail about them at most once in `quietSeconds`. */
const [collectedSeconds, quietSeconds, most] = [60, 3600, 500]
const event = 'approval.requested' satisfies NamedAuditEvent

/** Sends each person one e-mail about all requests of apps that wait for them, and records it, so that webhooks report it. */
export async function reportRequests({ database, schools, send }: With<'database' | 'schools' | 'send'>) {
  let notified = 0
  for (const school of await schools()) {
    const people = await peopleWaitedFor(inSchool(database.kysely, school.id), { collectedSeconds, quietSeconds, event, limit: most })
    for (const { id, email, locale } of people)
      await database.transaction(async (transaction) => {
        const writer = inSchool(transaction, school.id)
        const waiting = await countWaiting(writer, id)
        if (waiting === 0) return
        await send(writer, school, { email, locales: [locale] }, 'requests_waiting', {
          count: String(waiting),
          link: pageUrl(school, accountPaths.approvals),
        })
        await recordAudit(writer, [{ school_id: school.id, event, account_id: id, details: { waiting } }])
        notified += 1
      })
  }
  return { notified }
}
