import type { Context, Middleware } from 'koa'
import { cancelDeletion } from '../../domain/accounts/accountDeletion.ts'
import { connectedApps, ownGrant, ownGrantsTo } from '../../domain/accounts/connectedApps.ts'
import { signOutEverywhere } from '../../domain/accounts/signOutEverywhere.ts'
import { endBrowserSession } from '../../oidc/browserSession.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import { readerOf } from '../../policy/permissionSentences.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { requireOwnForm } from '../ownForm.ts'
import { pageProblem } from '../pageProblem.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { appsPage } from './appsPage.ts'
import { endEveryGrant, endEverySession, endOwnGrant } from './endAccess.ts'
import { formSubject, type SignedInPerson, signedInOrAway } from './signedInPerson.ts'

/** The handlers of the page of connected apps. */
export interface AppsPages {
  show: Middleware
  /** Ends one grant. */
  revoke: Middleware
  /** Ends all grants of one app. */
  remove: Middleware
  revokeAll: Middleware
  keep: Middleware
  signOutEverywhere: Middleware
}

const shown = 100

/** Confirmations by the value of the query parameter `done`. Nothing else of the query is shown. */
const notices: Record<string, TextKey> = {
  revoked: 'apps.done_revoked',
  removed: 'apps.done_removed',
  all_revoked: 'apps.done_all_revoked',
  kept: 'apps.done_kept',
}

export function appsPages(args: AccountArguments, present: AccountPresenter): AppsPages {
  /** Returns the person who submitted a form of the page; undefined if the browser was redirected to the sign-in. */
  const owner = async (ctx: Context): Promise<SignedInPerson | undefined> => {
    const person = await signedInOrAway(ctx, args, accountPaths.apps)
    if (person) requireOwnForm(ctx, present.csrf, { subject: formSubject(person), kind: 'foreign_account_form' })
    return person
  }

  return {
    async show(ctx) {
      const { school } = ctx.state
      const person = await signedInOrAway(ctx, args, accountPaths.apps)
      if (!person) return
      const { apps, isMore } = await connectedApps(args.database.kysely, school.id, {
        accountId: person.accountId,
        limit: shown,
        isUsed: true,
      })
      const done = typeof ctx.query.done === 'string' && Object.hasOwn(notices, ctx.query.done) ? notices[ctx.query.done] : undefined
      // No confirmation if the deletion has been scheduled again since.
      const isNews = done !== 'apps.done_kept' || person.who.deletion_scheduled_at === null
      const { texts, schoolName } = await present.pageContext(ctx)
      const content = appsPage(texts, {
        schoolName,
        now: new Date(),
        person,
        apps,
        isMore,
        scopes: args.scopes,
        reader: readerOf((await args.findPerson(school.id, person.accountId))?.role ?? 'learner'),
        protectedNames: await args.protectedNames(school),
        notice: done !== undefined && isNews ? texts.text(done) : '',
        csrf: present.csrf.issue(ctx, formSubject(person)),
      })
      await present.show(ctx, 'account-apps', { title: texts.text('apps.title'), ...content })
    },

    async revoke(ctx) {
      const { school } = ctx.state
      const form = submittedForm(ctx)
      const person = await owner(ctx)
      if (!person) return
      const { accountId } = person
      const grant = await ownGrant(args.database.kysely, school.id, { accountId, grantId: form.get('grant') ?? '' })
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
      const grants = await ownGrantsTo(args.database.kysely, school.id, { accountId, clientId: form.get('client') ?? '' })
      // The same error for apps of other accounts and unknown ids.
      if (grants.length === 0) throw pageProblem('nothing_here', 'not_found', 'There is no such connected app.')
      for (const grant of grants) await endOwnGrant(ctx, args, accountId, grant)
      seeOther(ctx, `${accountPaths.apps}?done=removed`)
    },

    async revokeAll(ctx) {
      const person = await owner(ctx)
      if (!person) return
      await endEveryGrant(ctx, args, person.accountId)
      seeOther(ctx, `${accountPaths.apps}?done=all_revoked`)
    },

    async keep(ctx) {
      const { school } = ctx.state
      const person = await owner(ctx)
      if (!person) return
      const { accountId } = person
      const isKept = await args.database.transaction((writer) => cancelDeletion(writer, school.id, accountId))
      if (isKept) await args.audit(auditEntry(ctx, 'account.kept', { account_id: accountId }))
      seeOther(ctx, `${accountPaths.apps}?done=kept`)
    },

    async signOutEverywhere(ctx) {
      const { school } = ctx.state
      const form = submittedForm(ctx)
      const person = await owner(ctx)
      if (!person) return
      const { accountId } = person
      const isWithApps = form.get('disconnect') !== null
      await signOutEverywhere(args.database, school.id, accountId)
      await args.audit(auditEntry(ctx, 'account.signed_out_everywhere', { account_id: accountId, details: { with_apps: isWithApps } }))
      await endEverySession(ctx, args, accountId)
      if (isWithApps) await endEveryGrant(ctx, args, accountId)
      await endBrowserSession(ctx, await args.provider(ctx))
      const { texts } = await present.pageContext(ctx)
      await present.message(ctx, {
        title: texts.text('signed_out.title'),
        heading: texts.text('signed_out_everywhere.heading'),
        paragraphs: [texts.parts(isWithApps ? 'signed_out_everywhere.with_apps' : 'signed_out_everywhere.explanation', {})],
        links: [{ href: accountPaths.signIn, label: texts.text('account_links.sign_in') }],
      })
    },
  }
}
