import type { Context, Middleware } from 'koa'
import { isKnown } from '../../base/http/document.ts'
import { allowMethods } from '../../base/http/methods.ts'
import type { FailureLimit } from '../../base/http/rateLimit.ts'
import { hash } from '../../base/keyring.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import { iCalendar } from '../../base/text/iCalendar.ts'
import { calendarPath, findCalendarOwner } from '../../school/account/calendarFeed.ts'
import { entryOf } from '../../school/events/eventCalendar.ts'
import { personalCalendar } from '../../school/events/eventParts.ts'
import type { PageServices } from '../pagesArguments.ts'

export interface CalendarArguments {
  /** Counts wrong addresses. */
  limit: FailureLimit
  /** @throws Problem rate_limited if the calendar was read too often */
  countUse(schoolId: string, accountId: string): Promise<void>
  /** Returns false if another site shows the public pages of the school. */
  hasPages(school: School): boolean
}

const refreshHours = 1

/** Removes the secret token from a path, for the log. */
export const withoutCalendarToken = (path: string): string => path.replace(/^(\/calendar\/).+$/is, '$1[removed]')

/** Serves the calendars of people at their secret addresses (RFC 5545). Every wrong address gets the same response at the same cost. */
export function serveCalendar({ databaseOf, pageContext }: PageServices, { limit, countUse, hasPages }: CalendarArguments): Middleware {
  return async (ctx: Context, next) => {
    if (!ctx.path.startsWith(calendarPath)) return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    const { school } = ctx.state
    await limit.check(ctx)
    const caller = await findCalendarOwner(databaseOf(school.id).kysely, tokenOf(ctx.path))
    if (!caller) {
      await limit.count(ctx)
      throw new Problem('not_found', { description: 'There is no calendar at this address. The person may have replaced the address.' })
    }
    await countUse(school.id, caller.accountId)
    const events = await personalCalendar(databaseOf(school.id).kysely, caller)
    const { schoolName } = await pageContext(ctx)
    const { hostname } = new URL(school.issuer)
    const calendarSchool = { issuer: school.issuer, hasPages: hasPages(school) }
    const entries = events.map(({ version, ...body }) => entryOf({ body, version }, calendarSchool))
    const text = iCalendar(`-//${hostname}//Schoolgate//EN`, entries, { name: schoolName, refreshHours })
    const etag = `"${hash(text).slice(0, 22)}"`
    ctx.set({
      ETag: etag,
      'Cache-Control': 'private, no-cache',
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
      'Content-Disposition': 'inline; filename="calendar.ics"',
    })
    ctx.status = 200
    ctx.type = 'text/calendar; charset=utf-8'
    ctx.body = text
    if (isKnown(ctx.get('if-none-match'), etag)) ctx.status = 304
  }
}

const tokenOf = (path: string): string => /^\/calendar\/([\w-]{43})\.ics$/.exec(path)?.[1] ?? ''
