import { accountPaths } from '../../base/accountPaths.ts'
import { plainText } from '../plainText.ts'
import type { AccountSection } from './accountPage.ts'
import { passwordNumbers } from './newPasswordPages.ts'
import { accountField } from './ownFields.ts'
import type { OwnPageContext } from './ownPage.ts'

/** Returns the section of the address: the current one, a pending change, and the form that changes it. Pure. */
export function emailSection(
  { texts, person, errorOf }: OwnPageContext,
  { pending, typed }: { pending: string | undefined; typed: string },
): AccountSection {
  const change = {
    action: accountPaths.changeEmail,
    fields: [
      accountField({
        ...{ name: 'email', type: 'email', label: texts.text('login.email_new'), autocomplete: 'email' },
        value: plainText(typed, 254),
        hint: texts.text('login.email_hint'),
        error: errorOf('email'),
      }),
    ],
    submit: texts.text('login.email_submit'),
    kind: 'main' as const,
  }
  return {
    id: 'address',
    heading: texts.text('login.email'),
    paragraphs: [
      texts.parts('login.email_current', { email: plainText(person.who.email, 254) }),
      ...(pending === undefined ? [] : [texts.parts('login.email_pending', { email: plainText(pending, 254) })]),
    ],
    forms: [
      ...(pending === undefined
        ? []
        : [
            { action: accountPaths.resendEmail, submit: texts.text('login.email_resend') },
            { action: accountPaths.cancelEmail, submit: texts.text('login.email_cancel') },
          ]),
      change,
    ],
  }
}

/** Returns the section of the password. Without a password, it links to the page that sends an e-mail. Pure. */
export function passwordSection({ texts, person, errorOf }: OwnPageContext, isWithPassword: boolean): AccountSection {
  const section = { id: 'password-section', heading: texts.text('login.password') }
  if (!isWithPassword) {
    return {
      ...section,
      paragraphs: [texts.parts('login.password_none', {})],
      links: [{ href: accountPaths.forgottenPassword, label: texts.text('login.password_set') }],
    }
  }
  const password = { type: 'password', maxLength: 1024 } as const
  return {
    ...section,
    paragraphs: [texts.parts('login.password_explanation', {})],
    forms: [
      {
        action: accountPaths.changePassword,
        fields: [
          // Password managers store the new password under this name.
          accountField({
            ...{ name: 'username', type: 'email', label: texts.text('login.email'), autocomplete: 'username' },
            value: plainText(person.who.email, 254),
            isReadOnly: true,
          }),
          accountField({
            ...{ ...password, name: 'current', label: texts.text('login.password_current'), autocomplete: 'current-password' },
            error: errorOf('current'),
          }),
          accountField({
            ...{ ...password, name: 'password', label: texts.text('new_password.label'), autocomplete: 'new-password' },
            hint: texts.text('new_password.hint', passwordNumbers),
            error: errorOf('password'),
          }),
          accountField({
            ...{ ...password, name: 'repeated', label: texts.text('new_password.repeat'), autocomplete: 'new-password' },
            error: errorOf('repeated'),
          }),
        ],
        boxes: [{ id: 'disconnect', name: 'disconnect', label: texts.text('new_password.disconnect') }],
        submit: texts.text('login.password_submit'),
        kind: 'main',
      },
    ],
    links: [{ href: accountPaths.forgottenPassword, label: texts.text('account_links.forgotten') }],
  }
}

/** Leads to the page of passkeys, of the authenticator app and of recovery codes. */
export const secondStepSection = ({ texts }: OwnPageContext): AccountSection => ({
  id: 'second-step',
  heading: texts.text('login.second_heading'),
  paragraphs: [texts.parts('login.second', {})],
  links: [{ href: accountPaths.security, label: texts.text('security.title') }],
})
