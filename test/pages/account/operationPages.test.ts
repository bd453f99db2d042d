import { beforeAll, describe, expect, test } from 'vitest'
import { operationsIn, resources } from '../../../src/school/index.ts'
import { createAgent, personCalled, postJson } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { createBrowser } from '../browser.ts'
import { send, signedIn } from './account.ts'

/** Where a person without an app finds an operation: the page, and what it shows or the address of its form. */
type Place = { page: string; shows: RegExp } | { page: string; form: string }

const places: Record<string, Place> = {
  getAccount: { page: '/account/profile', shows: /<input id="name"[^>]* value="leaving"/ },
  updateAccount: { page: '/account/profile', form: '/account/profile' },
  deleteAccount: { page: '/account/data', form: '/account/data/delete' },
  listAuthorizations: { page: '/account/apps', shows: /Course Companion/ },
  listSessions: { page: '/account/sessions', shows: /127\.0\.0\.0\/24/ },
  exportAccount: { page: '/account/data', form: '/account/data/download' },
  getCalendar: { page: '/account/events', shows: /id="calendar"/ },
  renewCalendar: { page: '/account/events', form: '/account/events/calendar/renew' },
  changeEmail: { page: '/account/login', form: '/account/login/email' },
  resendEmailChange: { page: '/account/login', form: '/account/login/email/resend' },
  restoreAccount: { page: '/account/data', form: '/account/keep' },
  revokeAuthorization: { page: '/account/apps', form: '/account/apps/remove' },
  listAuthorizationActivity: { page: 'app', shows: /Raku/ },
  listActivity: { page: 'app', shows: /Raku/ },
  getCurrentAuthorization: { page: 'app', shows: /id="contract"/ },
  stopEmails: { page: 'app', shows: /Raku/ },
  undoActivity: { page: 'undo', shows: /<form\b[^>]*method="post"[^>]*action="\/account\/undo\/act_\w+"/ },
  undoActivities: { page: 'undo since', shows: /<form\b[^>]*method="post"[^>]*action="\/account\/undo\/act_\w+\/since"/ },
  endSession: { page: '/account/sessions', form: '/account/sessions/end' },
}

/** The page and the control for each writable field. */
const controls: Record<string, { page: string; name: string }> = {
  name: { page: '/account/profile', name: 'name' },
  given_name: { page: '/account/profile', name: 'given_name' },
  family_name: { page: '/account/profile', name: 'family_name' },
  avatar: { page: '/account/profile', name: 'file' },
  locale: { page: '/account/profile', name: 'locale' },
  time_zone: { page: '/account/profile', name: 'time_zone' },
  notification_preferences: { page: '/account/notifications', name: 'event_reminders' },
}

/** Only apps propose. People decide on the page that `proposals.test.ts` shows. */
const ofApps = /proposal/i
const operations = operationsIn(resources).filter(({ id, resource }) => resource.name === 'account' && !ofApps.test(id))

describe('a person without an app can do everything that an app can do with the account', () => {
  const service = duringTests(() => startService())
  const pages = new Map<string, string>()
  beforeAll(async () => {
    const { accountId } = await service.addPerson({ email: 'leaving@example.com', role: 'admin' })
    const agent = await createAgent(service.issuer, { client_name: 'Course Companion' })
    const scope = 'openid profile courses:write'
    const { body } = await agent.tokens(personCalled('leaving@example.com'), { scope }, { scopes: 'all' })
    await postJson(`${service.issuer}/api/v1/courses`, { title: 'Raku' }, { authorization: `Bearer ${body.access_token}` })
    await signedIn(service, 'leaving@example.com')
    const browser = await signedIn(service, 'leaving@example.com')
    await service.database.sql.query("UPDATE account SET pending_email = 'next@example.com' WHERE id = $1", [accountId])
    const all = new Set([...Object.values(places), ...Object.values(controls)].map(({ page }) => page))
    for (const page of all) if (page.startsWith('/')) pages.set(page, (await browser.get(page)).html)
    // The pages about a change of an app are linked from one to the next.
    const linked = async (from: string, link: RegExp): Promise<string> => (await browser.get(link.exec(from)?.[1] ?? '')).html
    const app = await linked(pages.get('/account/apps') ?? '', /href="(\/account\/apps\/aut_\w+)"/)
    pages.set('app', app)
    pages.set('undo', await linked(app, /href="(\/account\/undo\/act_\w+)"/))
    pages.set('undo since', await linked(app, /href="(\/account\/undo\/act_\w+\/since)"/))
    await service.database.sql.query("UPDATE account SET deletion_scheduled_at = now() + interval '5 days' WHERE id = $1", [accountId])
    pages.set('/account/data', `${pages.get('/account/data')}${(await browser.get('/account/data')).html}`)
  })

  test('each operation of the area has its place, and no place is of an operation that is gone', () => {
    expect(operations.length).toBeGreaterThan(8)
    expect(operations.map(({ id }) => id).toSorted()).toEqual(Object.keys(places).toSorted())
    const writable = operations.find(({ id }) => id === 'updateAccount')?.resource.writable ?? []
    expect(writable.map(({ field }) => field).toSorted()).toEqual(Object.keys(controls).toSorted())
  })

  test.each(Object.entries(places))('%s', (_operation, place) => {
    const html = pages.get(place.page) ?? ''
    if ('shows' in place) expect(html).toMatch(place.shows)
    else
      expect(html).toMatch(
        new RegExp(`<form\\b[^>]*method="post"[^>]*action="${place.form}"|<form\\b[^>]*action="${place.form}"[^>]*method="post"`),
      )
  })

  test.each(Object.entries(controls))('the field %s', (_field, { page, name }) => {
    expect(pages.get(page)).toMatch(new RegExp(`<(?:input|select)\\b[^>]*\\bname="${name}"`))
  })

  test('a person without a session is asked to sign in on each of these pages', async () => {
    const stranger = createBrowser(service.issuer)
    for (const page of [...pages.keys()].filter((page) => page.startsWith('/')))
      expect([page, (await stranger.get(page)).location?.pathname]).toEqual([page, '/account/sign-in'])
  })
})

test('the home page links to legal documents that people can read: to the addresses that the school set, never to JSON', async () => {
  const service = await startService()
  try {
    const home = async (language: string) =>
      (await createBrowser(service.issuer).get('/', { accept: 'text/html', 'accept-language': language })).html
    const { sql } = service.database
    await sql.query(
      `INSERT INTO page (school_id, id, slug, title, draft_title, kind, status, published_at, live)
       VALUES ($1, gen_random_uuid(), 'legal/privacy', 'Privacy', 'Privacy', 'legal', 'published', now(), $2)`,
      [service.schoolId(), { title: 'Privacy', blocks: [], seo: null, show_in_navigation: false }],
    )
    expect(await home('en')).not.toContain('/api/v1/pages')
    await sql.query('UPDATE school SET legal = $1', [{ privacy_url: 'https://school.example/privacy', terms_url: 'javascript:alert(1)' }])
    for (const [language, label] of [
      ['en', 'Privacy policy'],
      ['de', 'Datenschutzerklärung'],
    ] as const) {
      const html = await home(language)
      expect(html.match(/https:\/\/school\.example\/privacy">([^<]*)</g)).toEqual([`https://school.example/privacy">${label}<`])
      expect(html).not.toMatch(/\/api\/v1\/pages|javascript:/)
    }
  } finally {
    await service.stop()
  }
})

test('the privacy policy and the terms are linked where a person decides: sign-up, sign-in, consent and account', async () => {
  const service = await startService()
  try {
    await service.addPerson({ email: 'reader@example.com' })
    const agent = await createAgent(service.issuer, { client_name: 'Course Companion' })
    const visit = async (language: string) => {
      const signUp = await createBrowser(service.issuer, { 'accept-language': language }).get('/account/sign-up')
      const browser = createBrowser(service.issuer, { 'accept-language': language })
      const signIn = await browser.follow(await browser.get(agent.authorizationUrl().href))
      const consent = await browser.follow(
        await send(browser, signIn, { email: 'reader@example.com', password: 'correct horse battery staple' }),
      )
      expect(consent.html).toContain('Course Companion')
      return [signUp, signIn, consent, await browser.get('/account')].map(({ html }) => html)
    }
    for (const html of await visit('en')) expect(html).not.toContain('Privacy policy')
    const legal = { privacy_url: 'https://school.example/privacy', terms_url: 'https://school.example/terms' }
    await service.database.sql.query('UPDATE school SET legal = $1', [legal])
    for (const [language, privacy, terms] of [
      ['en', 'Privacy policy', 'Terms'],
      ['de', 'Datenschutzerklärung', 'Nutzungsbedingungen'],
    ] as const)
      for (const html of await visit(language)) {
        expect(html).toContain(`<a href="https://school.example/privacy">${privacy}</a>`)
        expect(html).toMatch(new RegExp(`<a href="https://school.example/terms">${terms}`))
      }
  } finally {
    await service.stop()
  }
})
