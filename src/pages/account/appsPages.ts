import { accountAppPath, accountPaths } from '../../base/accountPaths.ts'
import { hashedId } from '../../base/ids.ts'
import { pauseGrants, setAsksFirst } from '../../database/tables/grants.ts'
import { readerOf } from '../../engine/declare/permissionSentences.ts'
import { connectedApps, grantOrigins, ownGrant, ownGrantsTo } from '../../identity/accounts/connectedApps.ts'
import { undoableChanges } from '../../school/account/appActivity.ts'
import { pageProblem } from '../pageProblem.ts'
import { changeAccessEnd, renameApp } from './appChanges.ts'
import { removalPath } from './appSection.ts'
import { appsPage as contentOf } from './appsPage.ts'
import { endEveryGrant, endOwnGrant } from './endAccess.ts'
import type { OwnPage, OwnRequest } from './ownPage.ts'
import { shellOf } from './showOwnPage.ts'
import { undoSincePath } from './undoPages.ts'

const shown = 100

const notices = { revoked: 'apps.done_revoked', removed: 'apps.done_removed', all_revoked: 'apps.done_all_revoked' } as const

/** The page of the apps with access to the account, and the forms that change their access. */
export const appsPage: OwnPage<never> = {
  path: accountPaths.apps,
  async show(request) {
    const { ctx, services, school, reader, accountId } = request
    const { apps, isMore } = await connectedApps(reader, { accountId, limit: shown, isUsed: true })
    const ended = await connectedApps(reader, { accountId, limit: shown, isUsed: true, state: 'ended' })
    const { texts, schoolName } = await request.pageContext()
    const content = contentOf(texts, {
      schoolName,
      apps,
      ended: ended.apps,
      isMore,
      origins: await grantOrigins(reader, { accountId, grantIds: apps.map(({ grantId }) => grantId) }),
      scopes: services.scopes,
      reader: readerOf(await request.role()),
      protectedNames: await services.protectedNames(school),
    })
    const shell = await shellOf(request, { section: accountPaths.apps, heading: texts.text('apps.heading'), notices })
    await services.present.show(ctx, 'account-apps', { title: texts.text('apps.title'), ...shell, ...content })
  },
  forms: {
    revoke: {
      async run(request) {
        const { accountId } = request
        const grant = await ownGrant(request.reader, { accountId, grantId: request.sent.get('grant') ?? '' })
        // The same error for grants of other accounts, ended grants and unknown ids.
        if (!grant) throw noApp()
        await endOwnGrant(request, grant)
        return 'revoked'
      },
    },
    remove: {
      async run(request) {
        const { reader, accountId, sent } = request
        const { clientId, grants } = await sentApp(request)
        const made = await undoableChanges(reader, { accountId, clientId })
        const { apps } = await connectedApps(reader, { accountId, limit: shown, isUsed: true })
        const app = apps.find((one) => one.clientId === clientId)
        if (made && app && sent.get('changes') === null) return removalPath(app.grantId)
        for (const grant of grants) await endOwnGrant(request, grant)
        return made && sent.get('changes') === 'undo' ? undoSincePath(made.oldest, false) : 'removed'
      },
    },
    'revoke-all': {
      isConfirmed: true,
      async run(request) {
        await endEveryGrant(request)
        return 'all_revoked'
      },
    },
    pause: { run: (request) => setPaused(request, true) },
    continue: { run: (request) => setPaused(request, false) },
    end: { run: changeAccessEnd },
    rename: { run: renameApp },
    // Lets an app ask first, or no longer.
    'ask-first': {
      async run(request) {
        const { accountId, sent, change, audit } = request
        const asksFirst = sent.get('asks_first') === '1'
        const { clientId, page } = await sentApp(request)
        for (const id of await change((writer) => setAsksFirst(writer, { accountId, clientId, asksFirst })))
          await audit(asksFirst ? 'grant.asks_first' : 'grant.asks_no_more', { client_id: clientId, grant_id: id })
        return `${page}?done=${asksFirst ? 'asks_first' : 'asks_no_more'}`
      },
    },
  },
}

const noApp = () => pageProblem('nothing_here', 'not_found', 'There is no such connected app.')

/** Returns the app that a form names, with its grants and the page that had the form. The same error for apps of other accounts and unknown ids. */
async function sentApp({ reader, accountId, sent }: OwnRequest) {
  const clientId = sent.get('client') ?? ''
  const grants = await ownGrantsTo(reader, { accountId, clientId })
  const ids = grants.map(({ id }) => hashedId('aut', id))
  const [first] = ids
  if (first === undefined) throw noApp()
  return { clientId, grants, page: accountAppPath(ids.find((id) => id === sent.get('page')) ?? first) }
}

/** Pauses every access of an app to the account, or continues it. */
async function setPaused(request: OwnRequest, isPaused: boolean): Promise<string> {
  const { clientId, page } = await sentApp(request)
  await pauseApp(request, clientId, isPaused)
  return `${page}?done=${isPaused ? 'paused' : 'continued'}`
}

export async function pauseApp({ accountId, change, audit }: OwnRequest, clientId: string, isPaused: boolean): Promise<void> {
  for (const id of await change((writer) => pauseGrants(writer, { accountId, clientId, isPaused })))
    await audit(isPaused ? 'grant.paused' : 'grant.continued', { client_id: clientId, grant_id: id })
}
