import type { Context, Middleware } from 'koa'
import { accountAppPath, accountPaths } from '../../base/accountPaths.ts'
import { hashedId } from '../../base/ids.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { connectedApps, ownGrantsTo } from '../../identity/accounts/connectedApps.ts'
import { undoableChanges } from '../../school/account/appActivity.ts'
import { type ActivityEntry, appTrail, appUses, namesOfObjects } from '../../school/apps/auditTrail.ts'
import { appNames } from '../appNames.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { pageProblem } from '../pageProblem.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import { type ActivityArguments, activitySections } from './activitySections.ts'
import { appNameField } from './appName.ts'
import { appSection, endedSection, type RefusedName, removalSection } from './appSection.ts'
import type { OwnPages } from './ownPage.ts'
import { signedInOrAway } from './signedInPerson.ts'

/** The page that shows a person what an app did in their name, and its forms. */
export interface AppActivityPages {
  show(ctx: Context): Promise<void>
  /** Shows the page of this authorization again, with the error of a name that was refused. */
  showAgain(ctx: Context, id: string, refused: RefusedName): Promise<void>
  pause: Middleware
  continue: Middleware
}

export const activityNotices = {
  paused: 'activity.done_paused',
  continued: 'activity.done_continued',
  end: 'duration.done',
  renamed: 'app_name.done',
  asks_first: 'approval.done_on',
  asks_no_more: 'approval.done_off',
} as const satisfies Record<string, TextKey>

const [entriesOnPage, maxApps] = [50, 500]

type Of = { grantId: string } | { clientId: string }

/**
 * Reads a page of what an app did. The names of people in it are current ones, and only for readers who see everybody: the trail has no
 * names.
 */
export async function readActivity(
  ctx: Context,
  args: Pick<AccountArguments, 'databaseOf' | 'scopes' | 'describe'>,
  { of, path, seesPeople }: { of: Of; path: string; seesPeople: boolean },
): Promise<ActivityArguments> {
  const { school } = ctx.state
  const database = args.databaseOf(school.id).kysely
  const { before } = ctx.query
  const isEntry = typeof before === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(before)
  const [found, uses] = await Promise.all([
    appTrail(database, of, { before: isEntry ? before : undefined, limit: entriesOnPage + 1 }),
    appUses(database, of),
  ])
  const entries = found.slice(0, entriesOnPage)
  return {
    ...{ path, entries, uses, scopes: args.scopes, describe: args.describe, namesPeople: 'clientId' in of },
    isMore: found.length > entriesOnPage,
    isFirst: !isEntry,
    names: seesPeople ? await namesIn(database, entries) : new Map(),
  }
}

const namesIn = (database: SchoolReader, entries: readonly ActivityEntry[]): Promise<ReadonlyMap<string, string>> =>
  namesOfObjects(
    database,
    entries.flatMap(({ change }) => (change ? [change.resource.id ?? '', ...change.resource.ids] : [])),
  )

export function appActivityPages(args: AccountArguments, pages: OwnPages): AppActivityPages {
  const take =
    (isPaused: boolean): Middleware =>
    async (ctx: Context) => {
      const { school } = ctx.state
      const clientId = submittedForm(ctx).get('client') ?? ''
      const person = await pages.owner(ctx, accountPaths.apps)
      if (!person) return
      const { accountId } = person
      const grants = await ownGrantsTo(args.databaseOf(school.id).kysely, { accountId, clientId })
      const [grant] = grants
      // The same error for apps of other accounts and unknown ids.
      if (!grant) throw pageProblem('nothing_here', 'not_found', 'There is no such connected app.')
      const event = isPaused ? 'grant.paused' : 'grant.continued'
      for (const id of await args.pauseOwn(school.id, { accountId, clientId, isPaused }))
        await args.audit(auditEntry(ctx, event, { account_id: accountId, client_id: clientId, grant_id: id }))
      const shown = submittedForm(ctx).get('page') ?? ''
      const page = grants.find(({ id }) => hashedId('aut', id) === shown) ?? grant
      seeOther(ctx, `${accountAppPath(hashedId('aut', page.id))}?done=${isPaused ? 'paused' : 'continued'}`)
    }

  const show = async (ctx: Context, id: string | undefined, refused?: RefusedName): Promise<void> => {
    const { school } = ctx.state
    const person = await signedInOrAway(ctx, args, refused ? accountPaths.apps : ctx.path + ctx.search)
    if (!person) return
    const database = args.databaseOf(school.id).kysely
    const { apps } = await connectedApps(database, {
      ...{ accountId: person.accountId, limit: maxApps, isUsed: true, state: 'any' },
    })
    const app = apps.find(({ grantId }) => hashedId('aut', grantId) === id)
    // The same page for authorizations of other accounts, those that ended long ago, and unknown ids.
    if (!app) throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
    const path = accountAppPath(hashedId('aut', app.grantId))
    const role = (await args.findPerson(school.id, person.accountId))?.role
    const seesPeople = role === 'owner' || role === 'admin'
    const activity = await readActivity(ctx, args, { of: { grantId: app.grantId }, path, seesPeople })
    const made =
      ctx.query.remove === '1' && !app.endedAt ? await undoableChanges(database, { ...person, clientId: app.clientId }) : undefined
    const terms = await args.findTerms(school.id, app.clientId)
    const mustAskFirst = terms.asksFirst || args.mustAskFirst()
    const errors = refused ? [{ field: appNameField, text: refused.error }] : []
    await pages.show(ctx, person, { path, section: accountPaths.apps, notices: activityNotices, errors }, ({ texts, schoolName }) => {
      const name = appNames(texts, apps)(app)
      const title = texts.text('activity.title', { app: name.map(({ text }) => text).join('') })
      return {
        title: { text: title },
        heading: title,
        back: { href: accountPaths.apps, label: texts.text('activity.back') },
        introduction: [
          ...texts.parts('activity.introduction', {
            app: name.map(({ text }) => text).join(''),
            school: schoolName,
            zone: texts.timeZone,
          }),
        ],
        sections: [
          ...(made ? [removalSection(texts, app, made.count)] : []),
          app.endedAt
            ? endedSection(texts, app, app.endedAt)
            : appSection(texts, app, { rule: args.accessRule(terms), terms, mustAskFirst, refused }),
          ...activitySections(texts, activity),
        ],
      }
    })
  }

  return {
    show: (ctx) => show(ctx, ctx.params.id),
    showAgain: show,
    pause: take(true),
    continue: take(false),
  }
}
