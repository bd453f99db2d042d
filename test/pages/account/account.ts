import { expect } from 'vitest'
import { createKeyring } from '../../../src/base/keyring.ts'
import type { Email } from '../../../src/base/mail/transport.ts'
import type { School } from '../../../src/base/school.ts'
import { inSchool } from '../../../src/database/school/inSchool.ts'
import { beginEmailChange } from '../../../src/identity/accounts/emailChange.ts'
import { createOutbox } from '../../../src/operate/compose/outbox.ts'
import type { TestService } from '../../support/service.ts'
import { password, rootSecret } from '../../support/service.ts'
import { type Answer, type Browser, createBrowser } from '../browser.ts'

export const newPassword = 'four lanterns over the quiet pond'

/** Fills in and sends the form of a page: its hidden fields go along. */
export async function send(browser: Browser, page: Answer, fields: Record<string, string> = {}, action?: RegExp): Promise<Answer> {
  const forms = [...page.html.matchAll(/<form\b[^>]*\baction="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)]
  const form = action ? forms.find(([, to = '']) => action.test(to)) : forms[0]
  if (!form) throw new Error(`no such form on ${page.url.pathname} (${page.status}): ${page.html.slice(0, 1500)}`)
  const [, to = '', inner = ''] = form
  const hidden = [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value.replaceAll('&#34;', '"').replaceAll('&amp;', '&')],
  )
  return browser.post(new URL(to, page.url).href, { ...Object.fromEntries(hidden), ...fields })
}

/** A browser that is signed in on the account's own sign-in page. */
export async function signedIn(service: TestService, email: string, secret = password, issuer = service.issuer): Promise<Browser> {
  const browser = createBrowser(issuer)
  const answer = await send(browser, await browser.get('/account/sign-in'), { email, password: secret })
  expect([answer.status, ['/account', '/account/school'].includes(answer.location?.pathname ?? '')]).toEqual([303, true])
  return browser
}

/** Requests an account, and returns the link from the e-mail. */
export async function signUpLink(
  service: TestService,
  email: string,
  name = 'Wren Applegarth',
  browser = createBrowser(service.issuer),
): Promise<URL> {
  const answer = await send(browser, await browser.get('/account/sign-up'), { email, name })
  expect(answer.status).toBe(200)
  return lastLink(service, email)
}

/** Requests a new password, and returns the link from the e-mail. */
export async function resetLink(service: TestService, email: string, browser = createBrowser(service.issuer)): Promise<URL> {
  const answer = await send(browser, await browser.get('/account/password'), { email })
  expect(answer.status).toBe(200)
  return lastLink(service, email)
}

/** The first link of the newest message to an address, not counting notices about the security of the account. */
export async function lastLink(service: TestService, email: string): Promise<URL> {
  const message = (await service.emails()).findLast(({ to, text }) => to === email && !/^Network: /m.test(text))
  return new URL(/https?:\/\/\S+/.exec(message?.text ?? '')?.[0] ?? `nothing://was-sent-to/${email}`)
}

/** Opens a mailed link and chooses a password. */
export async function choosePassword(
  service: TestService,
  link: URL,
  fields: Record<string, string> = {},
  browser = createBrowser(service.issuer),
): Promise<Answer> {
  const page = await browser.get(link.href)
  expect(page.status).toBe(200)
  return send(browser, page, { password: newPassword, repeated: newPassword, ...fields })
}

/** Returns whether a browser is signed in, judged by its page. */
export async function isSignedIn(browser: Browser): Promise<boolean> {
  const answer = await browser.get('/account/apps')
  if (answer.status === 200) return true
  expect([answer.status, answer.location?.pathname]).toEqual([303, '/account/sign-in'])
  return false
}

/** Returns the page without the tokens, which differ each time. */
export const withoutToken = (html: string): string => html.replace(/name="csrf" value="[^"]*"/g, 'name="csrf" value=""')

/** The audit trail of a school, oldest first. */
export async function auditOf(
  service: TestService,
  event: string,
): Promise<{ account_id: string | null; grant_id: string | null; details: unknown }[]> {
  return service.database.sql.query('SELECT account_id, grant_id, details FROM audit_log WHERE event = $1 ORDER BY at, id', [event])
}

/** Begins a change of address as the API does in its own transaction, and returns the e-mails that were sent. */
export async function startEmailChange(
  service: TestService,
  school: School,
  { accountId, email }: { accountId: string; email: string },
): Promise<Email[]> {
  const { afterCommit, transaction } = service.database
  const { send } = createOutbox({ database: { afterCommit }, keyring: createKeyring([rootSecret]) })
  const before = (await service.emails()).length
  await transaction(async (writer, sql) => {
    const [account] = await sql.query<{ email: string }>('SELECT email FROM account WHERE school_id = $1 AND id = $2', [
      school.id,
      accountId,
    ])
    const begun = await beginEmailChange({ writer: inSchool(writer, school.id), send }, school, {
      accountId,
      current: account?.email ?? '',
      email,
      locales: [],
    })
    await sql.query('UPDATE account SET pending_email = $3 WHERE school_id = $1 AND id = $2', [school.id, accountId, begun.pendingEmail])
  })
  return (await service.emails()).slice(before)
}
