import { describe, expect, test } from 'vitest'
import { languages } from '../../src/base/text/languages.ts'
import { createAgent } from '../support/agent.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { password, startService } from '../support/service.ts'
import { lastLink, send, signedIn } from './account/account.ts'
import { createBrowser } from './browser.ts'
import { siteOwner } from './siteVisitor.ts'

const learner = 'wren@example.com'
const labels = {
  en: { imprint: 'Legal notice', privacy: 'Privacy policy', terms: 'Terms of use' },
  de: { imprint: 'Impressum', privacy: 'Datenschutzerklärung', terms: 'Nutzungsbedingungen' },
} as const
const kinds = ['imprint', 'privacy', 'terms'] as const

type Expected = Partial<Record<(typeof kinds)[number], string>>

describe.each(await databasesToTest())('links to the legal documents of a school, on $name', ({ open }) => {
  const service = duringTests(() => startService({ open, people: [{ email: learner, role: 'learner' }] }))
  const owner = duringTests(() => siteOwner(service))
  const published: Record<string, string> = {}

  /** Returns the pages of people without an account, of a person who signs in and consents, and of a person with an account. */
  async function pagesIn(language: string): Promise<[string, string][]> {
    const read = async (path: string): Promise<[string, string]> => {
      const response = await fetch(`${service.issuer}${path}?lang=${language}`, { headers: { accept: 'text/html' } })
      return [path, await response.text()]
    }
    const browser = createBrowser(service.issuer, { 'accept-language': language })
    const agent = await createAgent(service.issuer)
    const { href } = agent.authorizationUrl({ scope: 'openid', ui_locales: language })
    const signIn = await browser.follow(await browser.get(href))
    const consent = await browser.follow(await send(browser, signIn, { email: learner, password }, /sign-in/))
    expect(consent.html).toContain('<dl class="facts">')
    const account = await signedIn(service, learner)
    const own = async (path: string): Promise<[string, string]> => [path, (await account.get(`${path}?lang=${language}`)).html]
    return [
      ...(await Promise.all(['/account/sign-in', '/account/sign-up', '/account/password'].map(read))),
      ['sign-in of an app', signIn.html],
      ['consent', consent.html],
      ...(await Promise.all(['/account', '/account/apps', '/account/security'].map(own))),
    ]
  }

  async function emailIn(language: string): Promise<string> {
    const email = `new-${crypto.randomUUID()}@example.com`
    const browser = createBrowser(service.issuer, { 'accept-language': language })
    const answer = await send(browser, await browser.get(`/account/sign-up?lang=${language}`), { email, name: 'Wren' })
    expect(answer.status).toBe(200)
    expect((await lastLink(service, email)).pathname).toBe('/account/sign-up/finish')
    return (await service.emails()).findLast(({ to }) => to === email)?.text ?? ''
  }

  async function expectLinks(expected: Expected): Promise<void> {
    for (const language of languages) {
      const lines = kinds.flatMap((kind) => (expected[kind] === undefined ? [] : [[labels[language][kind], expected[kind]] as const]))
      for (const [name, html] of await pagesIn(language)) {
        const found = [...html.matchAll(/<a href="([^"]+)">([^<]+)<\/a>/g)].map(([, href, label]) => [label, href])
        const known = Object.values(labels[language]) as string[]
        // The sign-up names what applies to an account at its button, too.
        const atButton = name === '/account/sign-up' ? lines.filter(([label]) => label !== labels[language].imprint) : []
        expect([name, language, found.filter(([label = '']) => known.includes(label))]).toEqual([name, language, [...atButton, ...lines]])
      }
      const text = await emailIn(language)
      expect(text.split('\n').filter((line) => Object.values(labels[language]).some((label) => line.startsWith(`${label}: `)))).toEqual(
        lines.map(([label, href]) => `${label}: ${new URL(href, service.issuer).href}`),
      )
    }
  }

  const setLegal = (legal: object) => owner.call('PATCH', '/school', { legal }, { 'if-match': '*' })

  test('a school without documents has none', () => expectLinks({}))

  test('a draft is not linked, and a published page is linked on every page and in e-mails', async () => {
    for (const slug of ['legal/privacy', 'legal/terms', 'legal/imprint', 'about/us']) {
      const { id } = await owner.call('POST', '/pages', { title: `Page ${slug}`, slug, kind: slug === 'about/us' ? 'about' : 'legal' })
      published[slug] = String(id)
    }
    await expectLinks({})
    for (const id of Object.values(published)) await owner.call('POST', `/pages/${id}/publish`, {})
    await expectLinks({ imprint: '/pages/legal/imprint', privacy: '/pages/legal/privacy', terms: '/pages/legal/terms' })
  })

  test('an unlisted page is linked, and a page for members is not', async () => {
    await owner.call('PATCH', `/pages/${published['legal/privacy']}`, { visibility: 'unlisted' }, { 'if-match': '*' })
    await owner.call('PATCH', `/pages/${published['legal/terms']}`, { visibility: 'members' }, { 'if-match': '*' })
    await expectLinks({ imprint: '/pages/legal/imprint', privacy: '/pages/legal/privacy' })
  })

  test('the addresses and the page that the school set come first', async () => {
    await setLegal({ terms_url: 'https://legal.example.org/terms', imprint_page_id: published['about/us'] })
    await expectLinks({ imprint: '/pages/about/us', privacy: '/pages/legal/privacy', terms: 'https://legal.example.org/terms' })
  })

  test.each(['/', '/pages/about/us'])('the public page %s names a document once, in the words of the school', async (path) => {
    const html = await (await fetch(`${service.issuer}${path}`, { headers: { accept: 'text/html' } })).text()
    const foot = html.slice(html.indexOf('<footer>'))
    const links = [...foot.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href).filter((href) => !href.includes('lang='))
    expect(links).toEqual(expect.arrayContaining(['/pages/legal/imprint', '/pages/about/us', 'https://legal.example.org/terms']))
    expect(new Set(links).size).toBe(links.length)
  })

  test('every page says where people ask the school for help', async () => {
    const expectHelp = async (row: object, links: Record<(typeof languages)[number], string>) => {
      await owner.call('PATCH', '/school', row, { 'if-match': '*' })
      for (const language of languages)
        for (const [name, html] of await pagesIn(language))
          expect([name, /<p class="languages help" dir="auto">(.*)<\/p>/.exec(html)?.[1]]).toEqual([name, links[language]])
    }
    await expectHelp(
      { contact_email: 'ask@example.com' },
      {
        en: '<a href="mailto:ask@example.com">Need help? Write to ask@example.com</a>',
        de: '<a href="mailto:ask@example.com">Brauchen Sie Hilfe? Schreiben Sie an ask@example.com</a>',
      },
    )
    const { name } = await owner.call('PATCH', '/school', { contact_email: null }, { 'if-match': '*' })
    await expectHelp(
      { support_url: 'https://help.example.org/' },
      {
        en: `<a href="https://help.example.org/">Get help from ${name}</a>`,
        de: `<a href="https://help.example.org/">Hilfe von ${name}</a>`,
      },
    )
  })

  test('a school whose pages another site shows links only to the addresses that it set', async () => {
    await service.reload({ school: { public_pages: false } })
    await expectLinks({ terms: 'https://legal.example.org/terms' })
    await setLegal({ terms_url: null, privacy_url: 'https://legal.example.org/privacy' })
    await expectLinks({ privacy: 'https://legal.example.org/privacy' })
  })
})
