import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { signOutEverywhere } from '../../identity/accounts/signOutEverywhere.ts'
import { endBrowserSession } from '../../identity/oidc/browserSession.ts'
import { endpoints } from '../../identity/oidc/endpoints.ts'
import { endOtherSessions, endSignIn, listSignIns, type SignIn } from '../../school/account/signIns.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { pageProblem } from '../pageProblem.ts'
import { plainText } from '../plainText.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey, TextPart, Texts } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountItem, AccountSection } from './accountPage.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { endEveryGrant, endEverySession } from './endAccess.ts'
import type { OwnPageContext, OwnPages } from './ownPage.ts'
import { signedInOrAway } from './signedInPerson.ts'

export interface SessionsPages {
  show: Middleware
  end: Middleware
  /** Signs out every browser except this one. */
  endOthers: Middleware
  /** Signs out every browser, and on request disconnects all apps. */
  signOutEverywhere: Middleware
}

const notices = {
  ended: 'sessions.done_ended',
  others: 'sessions.done_others',
} as const satisfies Record<string, TextKey>

const shown = 100

export function sessionsPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): SessionsPages {
  const path = accountPaths.sessions
  const externalServices = { sessions: args.sessions }

  return {
    async show(ctx) {
      const { school } = ctx.state
      const person = await signedInOrAway(ctx, args, path)
      if (!person) return
      const signIns = await listSignIns({ database: args.databaseOf(school.id).kysely, externalServices }, person.accountId)
      await pages.show(ctx, person, { path, notices }, (context) => ({
        title: 'sessions.title',
        heading: context.texts.text('sessions.heading'),
        introduction: context.texts.parts('sessions.introduction', {}),
        sections: sectionsOf(context, signIns),
      }))
    },

    async end(ctx) {
      const { school } = ctx.state
      const form = submittedForm(ctx)
      const person = await pages.owner(ctx, path)
      if (!person) return
      const { accountId } = person
      const id = form.get('session') ?? ''
      const isEnded = await args.databaseOf(school.id).transaction((writer) => endSignIn(writer, externalServices, { accountId, id }))
      // The same error for sessions of other accounts, ended ones and unknown ids.
      if (!isEnded) throw pageProblem('nothing_here', 'not_found', 'There is no such sign-in.')
      await args.audit(auditEntry(ctx, 'session.ended', { account_id: accountId, details: { session: id } }))
      seeOther(ctx, `${path}?done=ended`)
    },

    async endOthers(ctx) {
      const { school } = ctx.state
      const person = await pages.owner(ctx, path)
      if (!person) return
      const { accountId, uid } = person
      const ended = await args.databaseOf(school.id).transaction((writer) => endOtherSessions(writer, externalServices, { accountId, uid }))
      await args.audit(auditEntry(ctx, 'session.others_ended', { account_id: accountId, details: { sessions: ended } }))
      seeOther(ctx, `${path}?done=others`)
    },

    async signOutEverywhere(ctx) {
      const { school } = ctx.state
      const form = submittedForm(ctx)
      const person = await pages.confirmedOwner(ctx, path)
      if (!person) return
      const { accountId } = person
      const isWithApps = form.get('disconnect') !== null
      await signOutEverywhere(args.databaseOf(school.id), accountId)
      await args.audit(auditEntry(ctx, 'account.signed_out_everywhere', { account_id: accountId, details: { with_apps: isWithApps } }))
      await endEverySession(ctx, args, accountId)
      if (isWithApps) await endEveryGrant(ctx, args, accountId)
      await endBrowserSession(ctx, await args.provider(ctx))
      await showSignedOut(ctx, present, isWithApps)
    },
  }
}

async function showSignedOut(ctx: Context, present: AccountPresenter, isWithApps: boolean): Promise<void> {
  const { texts } = await present.pageContext(ctx)
  await present.message(ctx, {
    title: texts.text('signed_out.title'),
    heading: texts.text('signed_out_everywhere.heading'),
    paragraphs: [texts.parts(isWithApps ? 'signed_out_everywhere.with_apps' : 'signed_out_everywhere.explanation', {})],
    links: [{ href: accountPaths.signIn, label: texts.text('account_links.sign_in') }],
  })
}

function sectionsOf({ texts, person }: OwnPageContext, signIns: readonly SignIn[]): AccountSection[] {
  // This browser first: people look for what they know.
  const sorted = signIns.toSorted((one, other) => Number(other.uid === person.uid) - Number(one.uid === person.uid))
  const hasOthers = signIns.some(({ uid }) => uid !== person.uid)
  const list = {
    id: 'browsers',
    heading: texts.text('sessions.list'),
    paragraphs: signIns.length > shown ? [texts.parts('sessions.more', { count: shown })] : [],
    items: sorted.slice(0, shown).map((signIn, at) => itemOf(texts, signIn, { at, isCurrent: signIn.uid === person.uid })),
  }
  const others = {
    id: 'others',
    heading: texts.text('sessions.others_heading'),
    paragraphs: [texts.parts('sessions.others_explanation', {})],
    forms: [{ action: accountPaths.endOtherSessions, submit: texts.text('sessions.others'), kind: 'main' as const }],
  }
  const everywhere = {
    id: 'everywhere',
    heading: texts.text('apps.everywhere_heading'),
    paragraphs: [texts.parts('apps.everywhere_explanation', {})],
    forms: [
      {
        action: accountPaths.signOutEverywhere,
        boxes: [{ id: 'disconnect', name: 'disconnect', label: texts.text('apps.everywhere_box') }],
        submit: texts.text('apps.everywhere'),
      },
    ],
  }
  return [list, ...(hasOthers ? [others] : []), everywhere]
}

function itemOf(texts: Texts, signIn: SignIn, { at, isCurrent }: { at: number; isCurrent: boolean }): AccountItem {
  const id = `sign-in-${at + 1}`
  const { network } = signIn
  const date = texts.moment(signIn.signedInAt)
  return {
    id,
    title: titleOf(texts, signIn),
    lines: [
      network === null ? texts.parts('sessions.signed_in', { date }) : texts.parts('sessions.signed_in_from', { date, network }),
      texts.parts('sessions.expires', { date: texts.moment(signIn.expiresAt) }),
    ],
    ...(isCurrent && { mark: texts.text('sessions.current') }),
    ...(isCurrent
      ? { link: { href: endpoints.end_session.path, label: texts.text('apps.sign_out') } }
      : {
          form: {
            action: accountPaths.endSession,
            hidden: [{ name: 'session', value: signIn.id }],
            submit: texts.text('sessions.end'),
            describedBy: id,
          },
        }),
  }
}

function titleOf(texts: Texts, { browser, system }: SignIn): TextPart[] {
  const [name, on] = [plainText(browser, 40), plainText(system, 40)]
  if (name && on) return texts.parts('sessions.device', { browser: name, system: on })
  return name || on ? texts.parts('sessions.device_only', { browser: name || on }) : texts.parts('sessions.unknown', {})
}
