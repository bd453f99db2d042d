import { beforeAll, describe, expect, test } from 'vitest'
import { emailTemplates } from '../../../src/base/mail/emailTemplates.ts'
import { resources, scopeCatalogue } from '../../../src/school/index.ts'
import { createAgent } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { english, englishIn, textsOf, visibleText } from '../../support/german.ts'
import { password, startService } from '../../support/service.ts'
import { type Answer, type Browser, createBrowser } from '../browser.ts'
import { choosePassword, lastLink, newPassword, send } from './account.ts'

function expectGerman(what: string, text: string): void {
  expect([what, englishIn(text)]).toEqual([what, []])
}

describe('a person who reads German gets no English sentence', () => {
  const service = duringTests(() =>
    startService({
      school: { defaults: { name: 'Lanternfeld', locale: 'de', time_zone: 'Europe/Berlin', currency: 'EUR' } },
    }),
  )
  const agent = duringTests(() => createAgent(service.issuer, { client_name: 'Kursbegleiter' }))
  let browser: Browser
  beforeAll(() => {
    browser = createBrowser(service.issuer, { 'accept-language': 'de-AT,de;q=0.9' })
  })

  const check = async (what: string, answer: Answer, status = 200): Promise<Answer> => {
    expect([what, answer.status, /<html lang="([^"]*)">/.exec(answer.html)?.[1]], answer.html.slice(0, 2000)).toEqual([what, status, 'de'])
    expectGerman(what, visibleText(answer.html))
    return answer
  }
  const follow = async (what: string, answer: Answer) => check(what, await browser.follow(answer))

  test('the comparison finds English where it is', async () => {
    expect(english.length).toBeGreaterThan(300)
    const visitor = createBrowser(service.issuer, { 'accept-language': 'en' })
    const { html } = await visitor.get('/account/sign-in')
    expect(() => expectGerman('sign-in', visibleText(html))).toThrow()
    // A text of placeholders alone is in no language.
    const texts = textsOf(emailTemplates.en).filter((text) => /\p{L}/u.test(text.replaceAll(/\{\w+\}/g, '')))
    for (const text of texts) expect(() => expectGerman('e-mail', text)).toThrow()
  })

  test('while signing up, with every error on the way', async () => {
    const page = await check('sign-up', await browser.get('/account/sign-up'))
    await check('sign-up without values', await send(browser, page, { email: 'x', name: '' }), 400)
    await check('sign-up sent', await send(browser, page, { email: 'wren@example.com', name: 'Wren Apfelgarten' }))
    const link = await lastLink(service, 'wren@example.com')
    for (const chosen of ['kurz', 'Sommer2026!', 'wren.apfelgarten', `${'x'.repeat(1100)}`])
      await check(
        `password ${chosen.slice(0, 20)}`,
        await choosePassword(service, link, { password: chosen, repeated: chosen }, browser),
        400,
      )
    await check('two passwords', await choosePassword(service, link, { repeated: 'anders' }, browser), 400)
    await browser.follow(await choosePassword(service, link, {}, browser))
    await check('used link', await browser.get(link.href), 410)
    await check('home', await browser.get('/'))
  })

  test('on every page of the account', async () => {
    for (const path of [
      '',
      '/login',
      '/security',
      '/sessions',
      '/apps',
      '/notifications',
      '/data',
      '/events',
      '/membership',
      '/orders',
      '/profile',
      '/school/forms',
      '/school/staff',
      '/security/app',
      '/security/passkey',
      '/confirm',
      '/school',
    ]) {
      const answer = await browser.get(`/account${path}`)
      if (answer.status === 303) await follow(`${path}, elsewhere`, answer)
      else await check(path, answer, answer.status)
    }
    const profile = await browser.get('/account/profile')
    const wrong = { name: ' ', given_name: 'x'.repeat(61), family_name: 'x'.repeat(61), locale: 'xx-wrong', time_zone: 'Nowhere' }
    await check('wrong profile', await send(browser, profile, wrong, /^\/account\/profile$/), 400)
    await follow(
      'saved profile',
      await send(browser, profile, { name: 'Wren', given_name: '', family_name: '', locale: 'de', time_zone: '' }, /^\/account\/profile$/),
    )
    const login = await browser.get('/account/login')
    await check('wrong address', await send(browser, login, { email: 'x' }, /email$/), 400)
    await check('wrong password', await send(browser, login, { current: 'falsch', password, repeated: password }, /password$/), 400)
    await check('foreign form', await browser.post('/account/notifications', { csrf: 'x' }), 403)
    await check('no such page', await browser.get('/account/nichts'), 404)
    const data = await browser.get('/account/data')
    await check('deletion without the box', await send(browser, data, {}, /delete$/), 400)
  })

  test('while an app asks for access', async () => {
    const scope = scopeCatalogue(resources)
      .map(({ name }) => name)
      .join(' ')
    const consent = await follow('consent', await browser.get(agent.authorizationUrl({ scope: `openid profile email ${scope}` }).href))
    expect(consent.html).toContain('Kursbegleiter')
    await check('unknown app', await browser.get(agent.authorizationUrl({ client_id: 'cli_gone' }).href), 400)
    await check(
      'wrong address of the app',
      await browser.get(agent.authorizationUrl({ redirect_uri: 'http://127.0.0.1:1/other' }).href),
      400,
    )
    await check('guide', await browser.get('/docs/apps'))
  })

  test('when signing out and in again', async () => {
    const question = await check('sign-out', await browser.get('/oauth/logout'))
    await follow('signed out', await send(browser, question, { logout: 'yes' }))
    const page = await check('sign-in', await browser.get('/account/sign-in'))
    await check('wrong password', await send(browser, page, { email: 'wren@example.com', password: 'falsch' }), 400)
    const forgotten = await check('forgotten', await browser.get('/account/password'))
    await check('forgotten sent', await send(browser, forgotten, { email: 'wren@example.com' }))
    await send(browser, page, { email: 'wren@example.com', password: newPassword })
  })

  test('in every e-mail', async () => {
    const emails = (await service.emails()).filter(({ to }) => to === 'wren@example.com')
    expect(emails.length).toBeGreaterThan(1)
    for (const { language, subject, text, html } of emails) {
      expect(language).toBe('de')
      for (const output of [subject, text.replace(/^https?:\S+$/gm, ''), visibleText(html).replace(/https?:\S+/g, '')])
        expectGerman(subject, output)
    }
    for (const text of textsOf(emailTemplates.de)) expectGerman(text.slice(0, 40), text)
  })

  test('and links to English documents say that these are English', async () => {
    for (const path of ['/', '/docs/apps']) {
      const { html } = await browser.get(path)
      const links = [...html.matchAll(/<a href="([^"]*)"([^>]*)>([^<]*)<\/a>/g)].filter(([, href = '']) =>
        /\/(?:docs(?:\/errors)?|[a-z]+\.(?:md|txt))$/.test(href),
      )
      expect(links.length).toBeGreaterThan(0)
      for (const [, href, attributes, label] of links)
        expect([href, attributes, label]).toEqual([href, ' hreflang="en"', expect.stringMatching(/ \(auf Englisch\)$/)])
    }
    const { html } = await createBrowser(service.issuer).get('/', { 'accept-language': 'en' })
    expect(html).not.toContain('in English')
  })
})
