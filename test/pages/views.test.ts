// Proves MCP authorization: The consent page shows where the app runs and warns about self-registered clients

import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import type { Context } from 'koa'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { type Language, languages } from '../../src/base/text/languages.ts'
import { consentPage } from '../../src/pages/consentPage.ts'
import type { Destination } from '../../src/pages/destination.ts'
import { errorPage } from '../../src/pages/errorPage.ts'
import { formPostPage } from '../../src/pages/formPostPage.ts'
import { frame } from '../../src/pages/frame.ts'
import type { OpenInteraction } from '../../src/pages/interaction.ts'
import { manualCodePage } from '../../src/pages/manualCodePage.ts'
import { plainText } from '../../src/pages/plainText.ts'
import { schoolLogo } from '../../src/pages/schoolLogo.ts'
import { signedOutPage, signOutPage } from '../../src/pages/signOutPages.ts'
import { passwordForm } from '../../src/pages/steps/passwordStep.ts'
import { createViews } from '../../src/pages/templates.ts'
import { createTexts } from '../../src/pages/texts.ts'
import { themeDefaults } from '../../src/school/settings/themes.ts'
import { yearOfAccess } from '../support/yearOfAccess.ts'
import { catalogue } from './service.ts'
import { pageContextOf } from './setting.ts'

const directory = new URL('../../views/', import.meta.url)
const files = readdirSync(directory).filter((name) => name.endsWith('.ejs'))
const views = createViews()

/** Inputs that try to escape from a text into markup. */
const corpus = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</bdi></p><form action=https://evil.example>',
  '</code></pre><iframe src=javascript:alert(1)>',
  '<%= page.csrf %><%- include("/etc/passwd") %>',
  '&lt;script&gt;&#60;b&#62;',
  '{school}{app}{name}$1$&',
  '__proto__',
  'javascript:alert(1)',
  '\u202e<b>\u0000',
  '`alert(1)`',
]

const loopback: Destination = { source: 'http://127.0.0.1:1', kind: 'this computer', host: '127.0.0.1:1', port: '1' }

/** Renders every view with the text in every place that shows user input. */
function everyView(text: string, language: Language = 'en'): string[] {
  const logo = { id: newId(), filename: text.toWellFormed(), alt: text, width: 1, height: 1 }
  const theme = { ...themeDefaults('studio'), logo, logo_dark: { ...logo, id: newId() } }
  const pageContext = { ...pageContextOf(text, language), schoolLogo: schoolLogo(theme, text) }
  const open = {
    interaction: { uid: 'uid', params: { login_hint: text } } as unknown as OpenInteraction['interaction'],
    clientId: 'app',
    clientName: plainText(text, 60),
    claimedRole: text,
    origin: { registeredVia: 'self', createdAt: new Date(0) } as const,
    destination: { ...loopback, kind: 'host', host: text } as Destination,
  }
  const scopes = catalogue.map((scope) => ({ ...scope, sentences: { learner: text }, areaTitle: text }))
  const requested = { known: scopes, unknown: [], resources: new Map() }
  const signedIn = { name: text, email: text }
  const handedOver = new URL('http://127.0.0.1:1/callback')
  handedOver.searchParams.set('code', text)
  handedOver.searchParams.set('state', text)
  const form = `<form id="op.logoutForm" method="post" action="https://x/oauth/logout/confirm"><input type="hidden" name="xsrf" value="abc"/></form>`
  return [
    views.render(
      'consent',
      consentPage(views, {
        pageContext,
        open,
        imitated: text,
        requested,
        allowed: new Set(['profile']),
        terms: { access: 'awaited' },
        grantable: new Set(['openid', 'profile']),
        reader: 'learner',
        askFirst: undefined,
        accessRule: yearOfAccess,
        preset: undefined,
        signedIn,
        csrf: text,
      }),
    ),
    views.render('form', {
      ...frame(views, pageContext, text),
      ...passwordForm({ ctx: { state: {} } as Context, open, isSwitch: true, returnTo: text }, pageContext, {
        email: text,
        error: { key: 'sign_in.too_many', values: { minutes: text } },
        stay: { days: 14, isTicked: true },
      }),
      error: text,
      action: '/account/sign-in',
      csrf: text,
      hidden: [{ name: text, value: text }],
      boxes: [{ name: text, label: text }],
      links: [{ href: '/account/password', label: text }],
      cancel: { action: '/refuse', label: text },
      passkey: undefined,
      setup: undefined,
      back: { href: '/back', label: text },
    }),
    views.render(
      'error',
      errorPage(views, pageContext, { issuer: text, status: 400, error: text, errorDescription: text, requestId: text }),
    ),
    views.render('manual-code', manualCodePage(views, pageContext, { address: handedOver, seconds: 300 })),
    views.render(
      'form-post',
      formPostPage(views, pageContext, { redirectUri: 'https://rp.example/', response: { code: text, state: text } }),
    ),
    views.render('sign-out', signOutPage(views, pageContext, { form })),
    views.render('signed-out', signedOutPage(views, pageContext)),
  ]
}

/** Tags and attributes of a page: the part that no text may change. */
function skeleton(html: string): string[] {
  return [...html.matchAll(/<\/?[a-z!][^\s>]*((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*>/gi)].map(([tag]) => tag.replace(/="[^"]*"/g, '=""'))
}

const plain = everyView('plain').map(skeleton)

describe('views', () => {
  test('print escaped values only, and include only what is theirs', () => {
    expect(files.length).toBeGreaterThan(5)
    for (const name of files) {
      const source = readFileSync(new URL(name, directory), 'utf8')
      // Sanitised HTML, and JSON in which no character can end its element.
      const raw: Record<string, string> = { 'site-html.ejs': '<%- page.html %>', 'site-data.ejs': '<%- page.text %>' }
      for (const [tag] of source.replace(raw[name] ?? '', '').matchAll(/<%-[\s\S]*?%>/g))
        expect(tag).toMatch(/^<%- include\('[a-z-]+', (page|\{ [a-z][A-Za-z]*: [a-zA-Z.]+(, [a-z][A-Za-z]*: [a-zA-Z.]+)* \})\) %>$/)
      // The script of the API reference filters and sends requests.
      // The script of the pages counts and copies. Everything is complete without them.
      if (name === 'site-data.ejs') continue
      const own = name.startsWith('reference-')
        ? /<script type="module" src="<%= page\.script %>"><\/script>/g
        : /<script src="<%= page\.script %>" defer><\/script>|<script type="module" src="<%= passkey\.script %>"><\/script>/g
      expect(source.replace(own, '')).not.toMatch(/<script|javascript:|\son[a-z]+=|\sstyle=|<style/i)
    }
  })

  test('ask for nothing from elsewhere', () => {
    for (const html of everyView('plain')) expect(html).not.toMatch(/(?:src|href)="(?!\/|data:,)/)
  })

  test.each(corpus)('keep their shape whatever a stranger writes: %j', (text) => {
    expect(everyView(text).map(skeleton)).toEqual(plain)
  })

  test('keep their shape for any text', () => {
    const wild = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...'<>"\'&%=/;{}`$«»“”', '\u202e', '</', '<%-', '%>', '-->'),
        fc.string({ minLength: 1, maxLength: 1 }),
      ),
    })
    // A text that is empty, or becomes so, makes a page of another shape on purpose.
    fc.assert(
      fc.property(wild, (text) => {
        expect(everyView(`a${text}`).map(skeleton)).toEqual(plain)
      }),
      { numRuns: 60 },
    )
  })

  test('isolate a name and call it what it is: a claim', () => {
    const [consent] = everyView('Сlaude')
    expect(consent).toContain('“<bdi>Сlaude</bdi>” wants access to your account')
    expect(consent).toContain('<dd><code>1 January 1970 at 00:00 UTC</code></dd>')
  })

  test('link to no script and to no other site but the redirect URI, whatever a stranger names', () => {
    for (const view of everyView('javascript:alert(1)')) {
      const html = view.replace('action="https://rp.example/"', '')
      for (const [, target] of html.matchAll(/(?:href|action|formaction|src)="([^"]*)"/g)) expect(target).toMatch(/^\/|^data:,$/)
    }
  })

  test('have one heading, a language, and a label for every field', () => {
    for (const [html, language] of languages.flatMap((one) => everyView('plain', one).map((view) => [view, one] as const))) {
      expect(html.match(/<h1/g)).toHaveLength(1)
      expect(html).toContain(`<html lang="${language}">`)
      for (const [, id] of html.matchAll(/<input[^>]*? id="([^"]+)"/g)) expect(html).toContain(`<label for="${id}">`)
      for (const [, id] of html.matchAll(/aria-describedby="([^"]+)"/g)) expect(html).toContain(`id="${id}"`)
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })
})

describe('texts', () => {
  test('a value is taken as it is, also where it looks like a placeholder', () => {
    const texts = createTexts('en')
    expect(texts.text('sign_in.heading', { school: '{school}$&' })).toBe('Sign in to {school}$&')
    expect(texts.parts('sign_in.heading', { school: 'A' })).toEqual([
      { text: 'Sign in to ', isolated: false },
      { text: 'A', isolated: true },
    ])
  })

  test('numbers and dates are written as the language writes them, and what is named by a number is left alone', () => {
    const [english, german] = languages.map((language) => createTexts(language))
    expect(english?.text('apps.more', { count: 12_345 })).toContain('12,345')
    expect(german?.text('apps.more', { count: 12_345 })).toContain('12.345')
    expect(german?.text('consent.destination_loopback', { port: '49152' })).toBe('auf diesem Computer (Port 49152)')
    expect(german?.date(new Date('2026-03-05T12:00:00Z'))).toBe('5. März 2026')
  })

  test('no text holds markup', () => {
    const catalogues = readdirSync(new URL('locales/', directory))
    expect(catalogues).toContain('en.json')
    for (const name of catalogues) expect(readFileSync(new URL(`locales/${name}`, directory), 'utf8')).not.toMatch(/[<>]|&[a-z#]/)
  })
})

describe('the error page', () => {
  test('never prints what it was not given', () => {
    const page = errorPage(views, pageContextOf('A'), { issuer: 'https://a.example', status: 500, error: 'server_error' })
    expect(page.machine).toEqual(['error=server_error'])
  })

  test('a description cannot forge another line for agents', () => {
    const page = errorPage(views, pageContextOf('A'), {
      issuer: 'https://a.example',
      status: 400,
      error: 'invalid_request',
      errorDescription: 'x\nerror=access_granted',
    })
    expect(page.machine).toEqual(['error=invalid_request', 'error_description=x error=access_granted'])
  })
})
