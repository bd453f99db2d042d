import { accountPaths } from '../base/accountPaths.ts'
import type { Language } from '../base/text/languages.ts'
import { withQuery } from '../base/text/withQuery.ts'
import { type Frame, frame } from './frame.ts'
import { languageParameter } from './language.ts'
import type { PageContext } from './pageContext.ts'
import type { Views } from './templates.ts'

export interface SignOutPage extends Frame {
  heading: string
  explanation: string
  action: string
  xsrf: string
  confirm: string
  stay: string
}

export interface SignedOutPage extends Frame {
  heading: string
  explanation: string
  signIn: { href: string; label: string }
  school: { href: string; label: string }
}

/** Builds the page. Only the address and the token are taken from the engine's own `form`. */
export function signOutPage(
  views: Views,
  pageContext: PageContext,
  { form, linkLanguage }: { form: string; linkLanguage?: Language | undefined },
): SignOutPage {
  const { texts, schoolName } = pageContext
  const action = /\baction="([^"<>]+)"/.exec(form)?.[1]
  const xsrf = /\bname="xsrf" value="([^"<>]+)"/.exec(form)?.[1]
  if (action === undefined || xsrf === undefined) throw new Error('the engine gave a sign-out form that is not understood')
  return {
    ...frame(views, pageContext, texts.text('sign_out.title')),
    heading: texts.text('sign_out.heading', { school: schoolName }),
    explanation: texts.text('sign_out.explanation'),
    action: withQuery(URL.parse(action)?.pathname ?? action, { [languageParameter]: linkLanguage }),
    xsrf,
    confirm: texts.text('sign_out.confirm'),
    stay: texts.text('sign_out.stay'),
  }
}

export function signedOutPage(views: Views, pageContext: PageContext): SignedOutPage {
  const { texts, schoolName } = pageContext
  return {
    ...frame(views, pageContext, texts.text('signed_out.title')),
    heading: texts.text('signed_out.heading'),
    explanation: texts.text('signed_out.explanation', { school: schoolName }),
    signIn: { href: accountPaths.signIn, label: texts.text('signed_out.sign_in') },
    school: { href: '/', label: texts.text('signed_out.to_school', { school: schoolName }) },
  }
}
