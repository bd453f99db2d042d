import { accountPaths } from '../../base/accountPaths.ts'
import { signOutEverywhere } from '../../identity/accounts/signOutEverywhere.ts'
import { endBrowserSession } from '../../identity/oidc/browserSession.ts'
import { endpoints } from '../../identity/oidc/endpoints.ts'
import { endOtherSessions, endSignIn, listSignIns, type SignIn } from '../../school/account/signIns.ts'
import { pageProblem } from '../pageProblem.ts'
import { plainText } from '../plainText.ts'
import type { TextPart, Texts } from '../texts.ts'
import type { AccountItem, AccountSection } from './accountPage.ts'
import { endEveryGrant, endEverySession } from './endAccess.ts'
import type { OwnPage, OwnPageContext, OwnRequest } from './ownPage.ts'

const shown = 100

/** The page of the browsers in which a person is signed in. */
export const sessionsPage: OwnPage<readonly SignIn[]> = {
  path: accountPaths.sessions,
  notices: { ended: 'sessions.done_ended', others: 'sessions.done_others' },
  read: ({ reader, services, accountId }) => listSignIns({ database: reader, externalServices: services }, accountId),
  build: (context, signIns) => ({
    title: 'sessions.title',
    heading: context.texts.text('sessions.heading'),
    introduction: context.texts.parts('sessions.introduction', {}),
    sections: sectionsOf(context, signIns),
  }),
  forms: {
    end: {
      async run({ services, accountId, sent, change, audit }) {
        const id = sent.get('session') ?? ''
        // The same error for sessions of other accounts, ended ones and unknown ids.
        if (!(await change((writer) => endSignIn(writer, services, { accountId, id }))))
          throw pageProblem('nothing_here', 'not_found', 'There is no such sign-in.')
        await audit('session.ended', { details: { session: id } })
        return 'ended'
      },
    },
    'end-others': {
      async run({ services, accountId, person: { uid }, change, audit }) {
        const sessions = await change((writer) => endOtherSessions(writer, services, { accountId, uid }))
        await audit('session.others_ended', { details: { sessions } })
        return 'others'
      },
    },
    [accountPaths.signOutEverywhere]: {
      isConfirmed: true,
      async run(request) {
        const { ctx, services, accountId, sent } = request
        const isWithApps = sent.get('disconnect') !== null
        await signOutEverywhere(request.database, accountId)
        await request.audit('account.signed_out_everywhere', { details: { with_apps: isWithApps } })
        await endEverySession(request)
        if (isWithApps) await endEveryGrant(request)
        await endBrowserSession(ctx, await services.provider(ctx))
        await showSignedOut(request, isWithApps)
        return undefined
      },
    },
  },
}

async function showSignedOut({ ctx, services, pageContext }: OwnRequest, isWithApps: boolean): Promise<void> {
  const { texts } = await pageContext()
  await services.present.message(ctx, {
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
