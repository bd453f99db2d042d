import type { Database } from '../../database/connection/database.ts'
import { countStudentsOfLecturers } from '../../database/tables/lecturerCounts.ts'
import { listSchools } from '../../database/tables/schools.ts'
import { refreshSchool } from '../../school/analytics/rollups/refreshSchool.ts'
import { sendEventReminders } from '../../school/events/jobs/eventReminders.ts'
import { type EventKey, fillFreeSeats } from '../../school/events/jobs/fillFreeSeats.ts'
import { sendMoveNotices } from '../../school/events/jobs/sendMoveNotices.ts'
import { sendFormDigests } from '../../school/forms/jobs/formDigests.ts'
import { expireEnrollments } from '../../school/learning/jobs/expireEnrollments.ts'
import { advanceSubscriptions, closeOutstanding } from '../../school/memberships/jobs/advanceSubscriptions.ts'
import { sendNotifications } from '../../school/notifications/jobs/sendNews.ts'
import { expireOrders } from '../../school/orders/jobs/expireOrders.ts'
import { publishDuePosts } from '../../school/posts/jobs/publishDuePosts.ts'
import { drain, drainIn } from './drain.ts'
import type { ScheduledWork, With } from './jobContext.ts'
import { reportRequests } from './reportRequests.ts'
import { watchApps } from './watchApps.ts'

/** Name of the job that computes the figures, and of its lock. Two concurrent computations would write the same days. */
export const rollupLock = 'analytics_rollups'

export const featureJobs = {
  /** Ends trials, periods and pauses, and closes subscriptions with overdue payments. */
  advance_subscriptions: {
    everySeconds: 60,
    run: async ({ database }: With<'database'>, signal?: AbortSignal) => ({
      advanced: await drain(() => advanceSubscriptions(database, new Date(), 500), signal, 500),
      closed: await drain(() => closeOutstanding(database, new Date(), 500), signal, 500),
    }),
  },
  expire_enrollments: {
    everySeconds: 60,
    run: async ({ database }: With<'database'>, signal?: AbortSignal) => ({
      expired: await drain(() => expireEnrollments(database), signal),
    }),
  },
  count_students: {
    everySeconds: 3600,
    run: async ({ database }: With<'database'>) => ({ changed: await countStudentsOfLecturers(database.kysely) }),
  },
  /** Expires overdue checkouts and releases the coupons that they reserved. */
  expire_orders: {
    everySeconds: 60,
    run: async ({ database }: With<'database'>, signal?: AbortSignal) => ({
      expired: await drainIn(database, (writer) => expireOrders(writer, { now: new Date(), limit: 500 }), signal),
    }),
  },
  /** Updates the figures of every school, shortly after the start and then every five minutes. */
  [rollupLock]: {
    everySeconds: 300,
    firstAfterSeconds: 2,
    run: async ({ database }: With<'database'>) => ({
      changed: await inEverySchool(database, 'computing the figures', (schoolId) => refreshSchool(database, { schoolId, now: new Date() })),
    }),
  },
  publish_posts: {
    everySeconds: 30,
    run: async ({ database }: With<'database'>, signal?: AbortSignal) => ({
      published: await drainIn(database, (writer) => publishDuePosts(writer, 500), signal),
    }),
  },
  /**
   * Gives free seats to waitlists: those that unpaid, expired and refunded orders released, and those that people from a waitlist did not
   * pay for in time.
   */
  fill_event_seats: {
    everySeconds: 60,
    async run({ database, schools, externalServices }: With<'database' | 'schools' | 'externalServices'>, signal?: AbortSignal) {
      const found = await schools()
      let promoted = 0
      let after: EventKey | undefined
      do {
        const page = { schools: found, externalServices, limit: 100, after }
        const done = await database.transaction((writer) => fillFreeSeats(writer, page))
        promoted += done.promoted
        after = done.last
      } while (after !== undefined && signal?.aborted !== true)
      return { promoted }
    },
  },
  report_submissions: {
    everySeconds: 60,
    async run({ database, schools, send }: With<'database' | 'schools' | 'send'>, signal?: AbortSignal) {
      const found = await schools()
      return { reported: await drainIn(database, (writer) => sendFormDigests(writer, { schools: found, send, limit: 50 }), signal) }
    },
  },
  report_requests: { everySeconds: 60, run: reportRequests },
  watch_apps: { everySeconds: 60, run: watchApps },
  remind_of_events: {
    everySeconds: 60,
    async run({ database, schools, send }: With<'database' | 'schools' | 'send'>, signal?: AbortSignal) {
      const found = await schools()
      return { reminded: await drainIn(database, (writer) => sendEventReminders(writer, { schools: found, send, limit: 200 }), signal) }
    },
  },
  notify_of_moved_events: {
    everySeconds: 30,
    async run({ database, schools, send }: With<'database' | 'schools' | 'send'>, signal?: AbortSignal) {
      const found = await schools()
      return { events: await drainIn(database, (writer) => sendMoveNotices(writer, { schools: found, send, limit: 200 }), signal) }
    },
  },
  /** Writes the e-mails about news: posts, lessons, results, replies, receipts. */
  send_notifications: {
    everySeconds: 10,
    async run({ database, schools, send, hasPages }: With<'database' | 'schools' | 'send' | 'hasPages'>, signal?: AbortSignal) {
      const args = { schools: await schools(), send, hasPages, limit: 200 }
      const failures: unknown[] = []
      const handled = await drain(async () => {
        const { isDue, failure } = await sendNotifications(database, args)
        if (failure !== undefined) failures.push(failure)
        return Number(isDue)
      }, signal)
      if (failures.length > 0) throw new AggregateError(failures, `writing e-mails about news failed ${failures.length} times`)
      return { handled }
    },
  },
} satisfies Record<string, ScheduledWork>

/** Does the work for one school after the other. A failure in one school does not affect the others. */
async function inEverySchool(database: Database, what: string, work: (schoolId: string) => Promise<number>): Promise<number> {
  let changed = 0
  const failures: unknown[] = []
  for (const { id } of await listSchools(database.kysely)) {
    try {
      changed += await work(id)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${what} failed for ${failures.length} schools`)
  return changed
}
