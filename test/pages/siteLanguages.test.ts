import { expect, test } from 'vitest'
import { createAgent, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService, type TestService } from '../support/service.ts'
import { createBrowser } from './browser.ts'

const service = duringTests(() => startService())

test('a public page has an address for each language, which names itself as canonical and all the others', async () => {
  const attributes = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = '']) => value.replaceAll('&amp;', '&'))
  const alternates = ['en', 'de', 'x-default']
  for (const [query, locale] of [
    ['', 'en_GB'],
    ['?lang=en', 'en_GB'],
    ['?lang=de', 'de_DE'],
  ]) {
    // A new browser for each, since the choice of a language is remembered.
    const { html } = await createBrowser(service.issuer, { 'accept-language': 'en' }).get(`/courses${query}`)
    expect(attributes(html, /<link rel="canonical" href="([^"]*)">/g)).toEqual([`${service.issuer}/courses${query}`])
    expect(attributes(html, /<link rel="alternate" hreflang="([^"]*)"/g)).toEqual(alternates)
    expect(attributes(html, /<link rel="alternate" hreflang="[^"]*" href="([^"]*)"/g)).toEqual(
      ['?lang=en', '?lang=de', ''].map((one) => `${service.issuer}/courses${one}`),
    )
    expect(attributes(html, /<meta property="og:locale" content="([^"]*)">/g)).toEqual([locale])
    expect(attributes(html, /<meta property="og:url" content="([^"]*)">/g)).toEqual([`${service.issuer}/courses${query}`])
  }
})

test('German pages address people as the school chooses, from the site and the sign-in to the e-mails; the default is formal', async () => {
  const informal = await startService({ school: { german_address: 'informal' } })
  try {
    const words = async ({ issuer }: TestService, path: string): Promise<string[]> => {
      const { html } = await createBrowser(issuer, { 'accept-language': 'de' }).get(path)
      return [...new Set(html.replace(/<[^>]+>/g, ' ').match(/\b(Sie|Ihre?[mnrs]?|du|dein(?:e[mnrs]?)?)\b/g))].toSorted()
    }
    for (const path of ['/account/sign-in', '/account/password', '/oauth/interaction/nothing']) {
      expect([path, (await words(service, path)).filter((word) => /^[dD]/.test(word))]).toEqual([path, []])
      expect([path, (await words(informal, path)).some((word) => word.startsWith('d'))]).toEqual([path, true])
    }
    expect((await words(informal, '/account/sign-in')).filter((word) => /^[SI]/.test(word))).toEqual([])
    const mailed = async (one: TestService): Promise<string> => {
      const email = 'wren@example.com'
      await one.addPerson({ email })
      await one.database.sql.query("UPDATE account SET locale = 'de' WHERE email = $1", [email])
      await (await createAgent(one.issuer)).tokens(personCalled(email), { scope: 'openid profile' }, { scopes: 'all' })
      return (await one.emails()).flatMap(({ to, text }) => (to === email ? [text] : [])).join('\n')
    }
    const [du, sie] = [await mailed(informal), await mailed(service)]
    for (const text of ['Zugriff auf dein Konto', 'Deinen Namen, dein Bild'])
      expect([du.includes(text), sie.includes(text)]).toEqual([true, false])
    expect(sie).toContain('Ihren Namen, Ihr Bild')
  } finally {
    await informal.stop()
  }
})
