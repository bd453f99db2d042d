import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { readerOf } from '../../engine/declare/permissionSentences.ts'
import { connectedApps, grantOrigins, ownGrant, ownGrantsTo } from '../../identity/accounts/connectedApps.ts'
import { undoableChanges } from '../../school/account/appActivity.ts'
import { submittedForm } from '../formBody.ts'
import { pageProblem } from '../pageProblem.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { removalPath } from './appSection.ts'
import { appsPage } from './appsPage.ts'
import { endEveryGrant, endOwnGrant } from './endAccess.ts'
import type { OwnPages } from './ownPage.ts'
import { type SignedInPerson, signedInOrAway } from './signedInPerson.ts'
import { undoSincePath } from './undoPages.ts'

export interface AppsPages {
  show: Middleware
  revoke: Middleware
  remove: Middleware
  revokeAll: Middleware
}

const shown = 100

/** Confirmations by the value of the query parameter `done`. Nothing else of the query is shown. */
const notices: Record<string, TextKey> = {
  revoked: 'apps.done_revoked',
  removed: 'apps.done_removed',
  all_revoked: 'apps.done_all_revoked',
  confirmed: 'confirm.done',
}

export function appsPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): AppsPages {
  const owner = (ctx: Context): Promise<SignedInPerson | undefined> => pages.owner(ctx, accountPaths.apps)

  return {
    async show(ctx) {
      const { school } = ctx.state
      const person = await signedInOrAway(ctx, args, accountPaths.apps)
      if (!person) return
      const { apps, isMore } = await connectedApps(args.databaseOf(school.id).kysely, {
        accountId: person.accountId,
        limit: shown,
        isUsed: true,
      })
      const ended = await connectedApps(args.databaseOf(school.id).kysely, {
        ...{ accountId: person.accountId, limit: shown, isUsed: true, state: 'ended' },
      })
      const done = typeof ctx.query.done === 'string' && Object.hasOwn(notices, ctx.query.done) ? notices[ctx.query.done] : undefined
      const { texts, schoolName } = await present.pageContext(ctx)
      const content = appsPage(texts, {
        schoolName,
        apps,
        ended: ended.apps,
        isMore,
        origins: await grantOrigins(args.databaseOf(school.id).kysely, school.id, {
          accountId: person.accountId,
          grantIds: apps.map(({ grantId }) => grantId),
        }),
        scopes: args.scopes,
        reader: readerOf((await args.findPerson(school.id, person.accountId))?.role ?? 'learner'),
        protectedNames: await args.protectedNames(school),
      })
      const notice = done === undefined ? '' : texts.text(done)
      const shell = await pages.shell(ctx, person, { path: accountPaths.apps, heading: texts.text('apps.heading'), notice })
      await present.show(ctx, 'account-apps', { title: texts.text('apps.title'), ...shell, ...content })
    },

    async revoke(ctx) {
      const { school } = ctx.state
      const form = submittedForm(ctx)
      const person = await owner(ctx)
      if (!person) return
      const { accountId } = person
      const grant = await ownGrant(args.databaseOf(school.id).kysely, { accountId, grantId: form.get('grant') ?? '' })
      // The same error for grants of other accounts, ended grants and unknown ids.
      if (!grant) throw pageProblem('nothing_here', 'not_found', 'There is no such connected app.')
      await endOwnGrant(ctx, args, accountId, grant)
      seeOther(ctx, `${accountPaths.apps}?done=revoked`)
    },

    async remove(ctx) {
      const { school } = ctx.state
      const form = submittedForm(ctx)
      const person = await owner(ctx)
      if (!person) return
      const { accountId } = person
      const database = args.databaseOf(school.id).kysely
      const [clientId, changes] = [form.get('client') ?? '', form.get('changes')]
      const grants = await ownGrantsTo(database, { accountId, clientId })
      // The same error for apps of other accounts and unknown ids.
      if (grants.length === 0) throw pageProblem('nothing_here', 'not_found', 'There is no such connected app.')
      const made = await undoableChanges(database, { accountId, clientId })
      const { apps } = await connectedApps(database, { accountId, limit: shown, isUsed: true })
      const app = apps.find((one) => one.clientId === clientId)
      if (made && app && changes === null) return seeOther(ctx, removalPath(app.grantId))
      for (const grant of grants) await endOwnGrant(ctx, args, accountId, grant)
      seeOther(ctx, made && changes === 'undo' ? undoSincePath(made.oldest, false) : `${accountPaths.apps}?done=removed`)
    },

    async revokeAll(ctx) {
      const person = await pages.confirmedOwner(ctx, accountPaths.apps)
      if (!person) return
      await endEveryGrant(ctx, args, person.accountId)
      seeOther(ctx, `${accountPaths.apps}?done=all_revoked`)
    },
  }
}
