import { accountAppPath, accountPaths } from '../../base/accountPaths.ts'
import { hashedId } from '../../base/ids.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { connectedApps } from '../../identity/accounts/connectedApps.ts'
import { accessRule } from '../../identity/apps/accessDuration.ts'
import { undoableChanges } from '../../school/account/appActivity.ts'
import { appContract } from '../../school/account/appContract.ts'
import { type ActivityEntry, appTrail, appUses, namesOfObjects } from '../../school/apps/auditTrail.ts'
import { appTerms } from '../../school/apps/changeAppRules.ts'
import { appNames } from '../appNames.ts'
import { pageProblem } from '../pageProblem.ts'
import type { TextKey } from '../texts.ts'
import { type ActivityArguments, activitySections } from './activitySections.ts'
import { appNameField } from './appName.ts'
import { appSection, endedSection, type RefusedName, removalSection } from './appSection.ts'
import { contractSection } from './contractSection.ts'
import type { OwnPage, OwnRequest } from './ownPage.ts'
import { readAuditForm } from './school/auditForm.ts'
import { showOwnPage } from './showOwnPage.ts'

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
  { ctx, services, reader, accountId, pageContext }: OwnRequest,
  { of, path, seesPeople }: { of: Of; path: string; seesPeople: boolean },
): Promise<ActivityArguments> {
  const { before } = ctx.query
  const isEntry = typeof before === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(before)
  const read = readAuditForm(ctx, (await pageContext()).texts.timeZone)
  const isWrong = Object.keys(read.errors).length > 0
  const { changes, since, until } = read.filter
  const activityReader = { isStaff: seesPeople, sealing: services.undo, ...(!seesPeople && { accountId }) }
  const [found, uses] = await Promise.all([
    isWrong
      ? []
      : appTrail(reader, of, { before: isEntry ? before : undefined, limit: entriesOnPage + 1 }, activityReader, { changes, since, until }),
    appUses(reader, of),
  ])
  const entries = found.slice(0, entriesOnPage)
  return {
    ...{ path, read, entries, uses, scopes: services.scopes, describe: services.describe, namesPeople: 'clientId' in of },
    isMore: found.length > entriesOnPage,
    isFirst: !isEntry,
    names: seesPeople ? await namesIn(reader, entries) : new Map(),
  }
}

const namesIn = (database: SchoolReader, entries: readonly ActivityEntry[]): Promise<ReadonlyMap<string, string>> =>
  namesOfObjects(
    database,
    entries.flatMap(({ change }) => (change ? [change.resource.id ?? '', ...change.resource.ids] : [])),
  )

/** The page that shows a person what an app did in their name. */
export const appPage: OwnPage<never> = {
  path: `${accountPaths.apps}/:id`,
  show: (request) => showApp(request, request.params.id),
}

/** Shows the page of an authorization, by its public id, and the error of a name that was refused. */
export async function showApp(request: OwnRequest, id: string | undefined, refused?: RefusedName): Promise<void> {
  const { ctx, services, reader, accountId } = request
  const { apps } = await connectedApps(reader, { accountId, limit: maxApps, isUsed: true, state: 'any' })
  const app = apps.find(({ grantId }) => hashedId('aut', grantId) === id)
  // The same page for authorizations of other accounts, those that ended long ago, and unknown ids.
  if (!app) throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
  const path = accountAppPath(hashedId('aut', app.grantId))
  const activity = await readActivity(request, { of: { grantId: app.grantId }, path, seesPeople: await seesPeople(request) })
  const { clientId } = app
  const made = ctx.query.remove === '1' && !app.endedAt ? await undoableChanges(reader, { accountId, clientId }) : undefined
  const terms = await appTerms(reader, clientId)
  const oauth = services.oauth()
  const mustAskFirst = terms.asksFirst || oauth.consent.ask_first === 'always'
  const { school } = ctx.state
  const contract = app.endedAt
    ? undefined
    : await appContract({ database: reader, school, externalServices: services }, { ...app, accountId })
  const { currency } = await reader.selectFrom('school').select('currency').executeTakeFirstOrThrow()
  const errors = refused ? [{ field: appNameField, text: refused.error }] : []
  await showOwnPage(request, { path, section: accountPaths.apps, notices: activityNotices, errors }, ({ texts, schoolName: school }) => {
    const name = appNames(
      texts,
      apps,
    )(app)
      .map(({ text }) => text)
      .join('')
    const title = texts.text('activity.title', { app: name })
    return {
      title: { text: title },
      back: { href: accountPaths.apps, label: texts.text('activity.back') },
      introduction: texts.parts('activity.introduction', { app: name, school, zone: texts.timeZone }),
      sections: [
        ...(made ? [removalSection(texts, app, made.count)] : []),
        app.endedAt
          ? endedSection(texts, app, app.endedAt)
          : appSection(texts, app, { rule: accessRule(oauth, terms), terms, mustAskFirst, refused }),
        ...(contract ? [contractSection(texts, contract, { refused: [...app.refusedScopes], currency })] : []),
        ...activitySections(texts, activity),
      ],
    }
  })
}

/** True for owners and admins. */
export async function seesPeople({ role }: Pick<OwnRequest, 'role'>): Promise<boolean> {
  const found = await role()
  return found === 'owner' || found === 'admin'
}
