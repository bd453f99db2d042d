import type { Language } from '../lib/languages.ts'
import { interactionPath } from '../oidc/endpoints.ts'
import { accountPaths, withQuery } from '../policy/accountPaths.ts'
import { languageParameter } from './language.ts'
import type { OpenInteraction } from './openInteraction.ts'
import type { PageContext } from './pageContext.ts'
import { plainText } from './plainText.ts'
import { type Frame, frame, type Views } from './templates.ts'
import type { Said, TextKey, TextPart } from './texts.ts'

/** The question who somebody is. */
export interface SignInPage extends Frame {
  heading: string
  introduction: TextPart[]
  /** Why the last attempt failed, or why a sign-in is needed again; empty otherwise. */
  error: string
  /** Whether what was typed was wrong. */
  isBlamed: boolean
  emailLabel: string
  email: string
  passwordLabel: string
  submit: string
  csrf: string
  signInAction: string
  refuseAction: string
  refuse: string
  /** The way back to the consent page for somebody who came from there; empty otherwise. */
  backHref: string
  backLabel: string
  /** For who has no account yet, or no password any more: they come back to this page. */
  asides: { href: string; label: string }[]
}

export interface SignInPageArguments {
  pageContext: PageContext
  open: Pick<OpenInteraction, 'interaction' | 'clientName'>
  csrf: string
  error?: Said | undefined
  email?: string
  isSwitch?: boolean
  /** Whether anybody may make an account. */
  mayRegister?: boolean
  /** For the ways to the account pages, where nothing else tells them. */
  carriedLanguage?: Language | undefined
}

/** Builds the page. Pure. */
export function signInPage(
  views: Views,
  { pageContext, open, csrf, error, email, isSwitch = false, mayRegister = false, carriedLanguage }: SignInPageArguments,
): SignInPage {
  const { texts, schoolName } = pageContext
  const isBlamed = error?.key === 'sign_in.failed'
  const address = `${interactionPath}/${open.interaction.uid}`
  const aside = (path: string, label: TextKey) => ({
    href: withQuery(path, { return_to: address, [languageParameter]: carriedLanguage }),
    label: texts.text(label),
  })
  return {
    ...frame(views, pageContext, texts.text(isBlamed ? 'sign_in.failed_title' : 'sign_in.title')),
    heading: texts.text(isSwitch ? 'sign_in.heading_switch' : 'sign_in.heading', { school: schoolName }),
    introduction: open.clientName
      ? texts.parts('sign_in.introduction', { app: open.clientName, school: schoolName })
      : texts.parts('sign_in.introduction_nameless', { school: schoolName }),
    isBlamed,
    error: error ? texts.text(error.key, error.values) : '',
    emailLabel: texts.text('sign_in.email'),
    email: plainText(email ?? open.interaction.params.login_hint, 254),
    passwordLabel: texts.text('sign_in.password'),
    submit: texts.text('sign_in.submit'),
    csrf,
    signInAction: `${address}/sign-in`,
    refuseAction: `${address}/refuse`,
    refuse: texts.text('sign_in.refuse'),
    backHref: isSwitch ? address : '',
    backLabel: texts.text('sign_in.back'),
    asides: [
      aside(accountPaths.forgottenPassword, 'account_links.forgotten'),
      ...(mayRegister ? [aside(accountPaths.signUp, 'account_links.sign_up')] : []),
    ],
  }
}
