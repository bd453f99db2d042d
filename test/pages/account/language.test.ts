import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { password, startService } from '../../support/service.ts'
import { type Answer, createBrowser } from '../browser.ts'
import { choosePassword, lastLink, resetLink, send, signedIn, signUpLink } from './account.ts'

const service = duringTests(() => startService())
const agent = duringTests(() => createAgent(service.issuer, { client_name: 'Course Companion' }))

beforeAll(async () => {
  for (const name of ['walker', 'choosing', 'austrian', 'leaving']) await service.addPerson({ email: `${name}@example.com` })
  await service.database.sql.query("UPDATE account SET locale = 'de-AT' WHERE email = 'austrian@example.com'")
})

const languageOf = ({ html }: Answer): string | undefined => /<html lang="([^"]*)">/.exec(html)?.[1]

/** Follows the link of the page's foot to the other language. */
const linkTo = ({ html }: Answer, language: string): string => {
  const href = new RegExp(`<a href="([^"]*)" lang="${language}"`).exec(html)?.[1]
  if (href === undefined) throw new Error(`the page has no way to ${language}: ${html.slice(-1500)}`)
  return href.replaceAll('&amp;', '&')
}

const letterTo = async (email: string) => (await service.emails()).findLast(({ to }) => to === email)

describe('the language that an app asks for', () => {
  test('is kept from sign-in to consent, after a failed attempt, and on the other pages', async () => {
    const browser = createBrowser(service.issuer)
    const open = await browser.follow(await browser.get(agent.authorizationUrl({ ui_locales: 'fr de-CH en' }).href))
    expect([languageOf(open), open.html.includes('Eine App, die sich „<bdi>Course Companion</bdi>“ nennt')]).toEqual(['de', true])
    expect(open.html).toContain('<h1>Bei First School anmelden</h1>')
    const failed = await send(browser, open, { email: 'walker@example.com', password: 'wrong' })
    expect([failed.status, languageOf(failed), failed.html.includes('oder Passwort ist falsch')]).toEqual([400, 'de', true])
    const forgotten = /href="(\/account\/password[^"]*)"/.exec(failed.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(languageOf(await createBrowser(service.issuer).get(forgotten))).toBe('de')
    const consent = await browser.follow(await send(browser, failed, { email: 'walker@example.com', password }))
    expect(languageOf(consent)).toBe('de')
    expect(consent.html).toContain('Die Kurse der Schule sehen')
    expect(consent.html).toContain('Die Kurse der Schule sehen')
    expect(consent.html).not.toContain('See the courses')
  })

  test('gives way to what the person chooses on the page, from then on', async () => {
    const browser = createBrowser(service.issuer)
    const open = await browser.follow(await browser.get(agent.authorizationUrl({ ui_locales: 'de' }).href))
    const chosen = await browser.get(linkTo(open, 'en'))
    expect(languageOf(chosen)).toBe('en')
    const consent = await browser.follow(await send(browser, chosen, { email: 'choosing@example.com', password }))
    expect([languageOf(consent), languageOf(await browser.get('/account/apps'))]).toEqual(['en', 'en'])
    expect(languageOf(await browser.follow(await browser.get(agent.authorizationUrl().href)))).toBe('en')
  })

  test('is that of the error page, and of the question whether to sign out with what follows', async () => {
    const error = await createBrowser(service.issuer).get(agent.authorizationUrl({ client_id: 'cli_gone', ui_locales: 'de' }).href)
    expect([error.status, languageOf(error), error.html.includes('Diese App ist hier nicht bekannt')]).toEqual([400, 'de', true])
    const browser = await signedIn(service, 'leaving@example.com')
    const question = await browser.get('/oauth/logout?ui_locales=de')
    expect([languageOf(question), question.html.includes('Von First School abmelden?')]).toEqual(['de', true])
    const out = await browser.follow(await send(browser, question, { logout: 'yes' }))
    expect([languageOf(out), out.html.includes('Sie sind abgemeldet')]).toEqual(['de', true])
  })
})

describe('the language of the account pages', () => {
  test('is remembered in the browser, in a cookie that no script reads, and only where it is a language of ours', async () => {
    const browser = createBrowser(service.issuer)
    const page = await browser.get('/account/sign-in?return_to=%2Faccount%2Fapps')
    expect(languageOf(page)).toBe('en')
    const german = await browser.get(linkTo(page, 'de'))
    expect([languageOf(german), german.html.includes('name="return_to" value="/account/apps"')]).toEqual(['de', true])
    expect(german.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(/^sg_language=de; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/),
    )
    expect(languageOf(await browser.get('/account/password'))).toBe('de')
    for (const wild of ['fr', '__proto__', 'de%0d%0aX: y', '%00', '']) {
      const answer = await browser.get(`/account/password?lang=${wild}`)
      expect([wild, answer.status, answer.headers.getSetCookie().filter((line) => line.startsWith('sg_language'))]).toEqual([wild, 200, []])
    }
    const elsewhere = await browser.get('/api/v1/courses?lang=de')
    expect(elsewhere.headers.getSetCookie()).toEqual([])
  })

  test('can be changed on a form that was refused, without losing what it is about', async () => {
    const browser = createBrowser(service.issuer)
    const link = await resetLink(service, 'walker@example.com')
    const refused = await send(browser, await browser.get(link.href), { password: 'short', repeated: 'short' })
    expect(refused.status).toBe(400)
    const german = await browser.get(linkTo(refused, 'de'))
    expect([german.status, languageOf(german), german.html.includes('Ein neues Passwort wählen')]).toEqual([200, 'de', true])
  })

  test("is that of the account once somebody is signed in, and the browser's own before", async () => {
    const browser = createBrowser(service.issuer)
    const german = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.8' }
    expect(languageOf(await browser.get('/account/sign-in', german))).toBe('de')
    expect(languageOf(await browser.get('/account/sign-in', { 'accept-language': 'fr' }))).toBe('en')
    const owner = await signedIn(service, 'austrian@example.com')
    expect(languageOf(await owner.get('/account/apps', { 'accept-language': 'en' }))).toBe('de')
  })
})

describe('letters', () => {
  test('are in the language of the page that asked for them, and an account that begins with one keeps it', async () => {
    const browser = createBrowser(service.issuer)
    await browser.get('/account/sign-up?lang=de')
    const link = await signUpLink(service, 'neu@example.com', 'Änne Groß', browser)
    expect((await letterTo('neu@example.com'))?.subject).toBe('Schließen Sie Ihre Registrierung bei First School ab')
    await choosePassword(service, link)
    const [account] = await service.database.sql.query("SELECT locale FROM account WHERE email = 'neu@example.com'")
    expect(account).toEqual({ locale: 'de' })
    await resetLink(service, 'neu@example.com')
    expect(await letterTo('neu@example.com')).toMatchObject({ language: 'de', subject: 'Wählen Sie ein neues Passwort für First School' })
  })

  test("are in the account's language also where somebody else asked in another", async () => {
    await resetLink(service, 'austrian@example.com')
    expect((await letterTo('austrian@example.com'))?.language).toBe('de')
    expect((await lastLink(service, 'austrian@example.com')).pathname).toBe('/account/password/new')
  })
})

describe('the languages of a school', () => {
  test('are those of its file: in the metadata, on its pages, with nothing to choose where there is one', async () => {
    const supported = async (path: string) =>
      ((await (await fetch(service.issuer + path)).json()) as Record<string, unknown>).ui_locales_supported
    const pages = async () => {
      const { html } = await createBrowser(service.issuer).get('/account/sign-in', { 'accept-language': 'en' })
      return [/<html lang="([^"]*)">/.exec(html)?.[1], html.includes('<nav')]
    }
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])
      expect(await supported(path)).toEqual(['en', 'de'])
    expect(await pages()).toEqual(['en', true])
    await service.reload({ school: { languages: ['de'] } })
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])
      expect(await supported(path)).toEqual(['de'])
    expect(await pages()).toEqual(['de', false])
    await service.reload({})
  })
})
