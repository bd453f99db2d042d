import type { Context, Middleware } from 'koa'
import { type ConnectedApp, connectedApps, ownGrantsTo } from '../../domain/accounts/connectedApps.ts'
import { type ActivityEntry, appTrail, appUses } from '../../domain/administration/auditTrail.ts'
import { namesOfObjects } from '../../domain/administration/namesOfObjects.ts'
import { hashedId } from '../../lib/ids.ts'
import { accountAppPath, accountPaths } from '../../policy/accountPaths.ts'
import type { SchoolReader } from '../../store/database.ts'
import { appNames } from '../appNames.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { pageProblem } from '../pageProblem.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey, Texts } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountSection } from './accountPage.ts'
import { type ActivityArguments, activitySections } from './activitySections.ts'
import { stateOf } from './appState.ts'
import type { OwnPages } from './ownPage.ts'
import { signedInOrAway } from './signedInPerson.ts'

/** The page that shows a person what an app did in their name, and its forms. */
export interface AppActivityPages {
  show: Middleware
  pause: Middleware
  continue: Middleware
}

export const activityNotices = {
  paused: 'activity.done_paused',
  continued: 'activity.done_continued',
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
    appTrail(database, school.id, of, { before: isEntry ? before : undefined, limit: entriesOnPage + 1 }),
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
      const grants = await ownGrantsTo(args.databaseOf(school.id).kysely, school.id, { accountId, clientId })
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

  return {
    async show(ctx) {
      const { school } = ctx.state
      const person = await signedInOrAway(ctx, args, ctx.path + ctx.search)
      if (!person) return
      const database = args.databaseOf(school.id).kysely
      const { apps } = await connectedApps(database, school.id, { accountId: person.accountId, limit: maxApps, isUsed: true })
      const app = apps.find(({ grantId }) => hashedId('aut', grantId) === ctx.params.id)
      // The same page for authorizations of other accounts, ended ones and unknown ids.
      if (!app) throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
      const path = accountAppPath(hashedId('aut', app.grantId))
      const role = (await args.findPerson(school.id, person.accountId))?.role
      const seesPeople = role === 'owner' || role === 'admin'
      const activity = await readActivity(ctx, args, { of: { grantId: app.grantId }, path, seesPeople })
      await pages.show(ctx, person, { path, section: accountPaths.apps, notices: activityNotices }, ({ texts, schoolName }) => {
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
          sections: [appSection(texts, app), ...activitySections(texts, activity)],
        }
      })
    },
    pause: take(true),
    continue: take(false),
  }
}

function appSection(texts: Texts, { clientId, grantId, lastUsedAt, pausedAt, pausedBy }: ConnectedApp): AccountSection {
  const hidden = [
    { name: 'client', value: clientId },
    { name: 'page', value: hashedId('aut', grantId) },
  ]
  const fact = (label: TextKey, value: string) => ({ label: texts.text(label), value: texts.parts('school.verbatim', { text: value }) })
  return {
    id: 'app',
    heading: texts.text('activity.app'),
    paragraphs: [texts.parts('activity.pause_explanation', {})],
    facts: [
      fact('activity.last_used', lastUsedAt ? texts.moment(lastUsedAt) : texts.text('activity.never_used')),
      fact('activity.state', stateOf(texts, pausedAt, pausedBy)),
    ],
    forms: [
      ...(pausedBy === 'school'
        ? []
        : pausedBy === 'person'
          ? [{ action: accountPaths.continueApp, hidden, submit: texts.text('activity.continue') }]
          : [{ action: accountPaths.pauseApp, hidden, submit: texts.text('activity.pause') }]),
      { action: accountPaths.removeApp, hidden: hidden.slice(0, 1), submit: texts.text('apps.remove'), kind: 'danger' as const },
    ],
  }
}
