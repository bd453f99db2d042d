import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDays, dayEnd, dayIn, dayStart } from '../../../src/base/days.ts'
import { firstIdAt } from '../../../src/base/ids.ts'
import { createAgent, personCalled } from '../../support/agent.ts'
import { startService, type TestService } from '../../support/service.ts'
import { type Browser, createBrowser } from '../browser.ts'
import { choosePassword, resetLink, send, signedIn } from './account.ts'

let service: TestService
beforeAll(async () => {
  const defaults = { name: 'Zone School', locale: 'en', time_zone: 'Europe/Berlin', currency: 'EUR' }
  service = await startService({ school: { defaults } })
})
afterAll(() => service.stop())

/** Two moments at which it is already the next day in Berlin: in summer and in winter. */
const summer = '2026-07-01T22:30:00Z'
const winter = '2026-01-31T23:30:00Z'

let count = 0
/** An owner with an app, a passkey and a scheduled deletion, whose times are known. */
async function owner(timeZone: string | null) {
  const email = `person${++count}@example.com`
  const { accountId } = await service.addPerson({ email, role: 'owner' })
  const agent = await createAgent(service.issuer, { client_name: 'Tidy Agent' })
  const tokens = (await agent.tokens(personCalled(email), { scope: 'openid account:read account:write' }, { scopes: 'all' })).body
  const browser = await signedIn(service, email)
  const { sql } = service.database
  await sql.query('UPDATE account SET time_zone = $2, deletion_scheduled_at = $3 WHERE id = $1', [
    accountId,
    timeZone,
    '2099-07-01T22:30:00Z',
  ])
  await sql.query('UPDATE oidc_grant SET created_at = $2, last_used_at = $3 WHERE account_id = $1', [accountId, summer, winter])
  await sql.query(
    `INSERT INTO passkey (school_id, id, account_id, credential_id, public_key, name, created_at, last_used_at)
     VALUES ($1, gen_random_uuid(), $2, gen_random_uuid(), 'none', 'My key', $3, $4)`,
    [service.schoolId(), accountId, summer, winter],
  )
  return { email, accountId, tokens, browser }
}

/** The text of a page, without its markup. */
const textOf = async (browser: Browser, path: string, language: string): Promise<string> => {
  const answer = await browser.get(`${path}${path.includes('?') ? '&' : '?'}lang=${language}`)
  expect([path, answer.status]).toEqual([path, 200])
  return answer.html.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')
}

// The texts on the pages, by the time zone of the account and the language of the page.
const shown = [
  {
    zone: null,
    language: 'en',
    allowed: '2 July 2026 at 00:30 CEST',
    used: '1 February 2026 at 00:30 CET',
    days: ['Added on 2 July 2026', '1 February 2026'],
    deletion: '2 July 2099',
  },
  {
    zone: null,
    language: 'de',
    allowed: '2. Juli 2026 um 00:30 MESZ',
    used: '1. Februar 2026 um 00:30 MEZ',
    days: ['am 2. Juli 2026', '1. Februar 2026'],
    deletion: '2. Juli 2099',
  },
  {
    zone: 'America/New_York',
    language: 'en',
    allowed: '1 July 2026 at 18:30 GMT-4',
    used: '31 January 2026 at 18:30 GMT-5',
    days: ['Added on 1 July 2026', '31 January 2026'],
    deletion: '1 July 2099',
  },
  {
    zone: 'Asia/Kolkata',
    language: 'de',
    allowed: '2. Juli 2026 um 04:00 GMT+5:30',
    used: '1. Februar 2026 um 05:00 GMT+5:30',
    days: ['am 2. Juli 2026', '1. Februar 2026'],
    deletion: '2. Juli 2099',
  },
  {
    zone: 'Mars/Olympus',
    language: 'en',
    allowed: '1 July 2026 at 22:30 UTC',
    used: '31 January 2026 at 23:30 UTC',
    days: ['Added on 1 July 2026', '31 January 2026'],
    deletion: '1 July 2099',
  },
] as const

describe('times on the account pages', () => {
  for (const { zone, language, allowed, used, days, deletion } of shown) {
    test(`are in ${zone ?? 'the time zone of the school'} and name it, on the pages in "${language}"`, async () => {
      const { browser } = await owner(zone)
      const apps = await textOf(browser, '/account/apps', language)
      expect(apps).toContain(allowed)
      expect(apps).toContain(used)
      expect(apps).toContain(deletion)
      const security = await textOf(browser, '/account/security', language)
      for (const day of days) expect(security).toContain(day)
      const zoneName = allowed.split(' ').at(-1) ?? ''
      const alternatives = { CEST: 'CES?T', MESZ: 'MES?Z', 'GMT-4': 'GMT-[45]' }[zoneName] ?? zoneName.replace('+', '\\+')
      const time = new RegExp(`\\d{2}:\\d{2} ${alternatives}`, 'g')
      expect((await textOf(browser, '/account/sessions', language)).match(time)?.length).toBeGreaterThanOrEqual(2)
      // Pages of the school: connected apps, and the audit trail.
      await service.database.sql.query('UPDATE oidc_grant SET last_used_at = $1', [winter])
      expect(await textOf(browser, '/account/school/apps', language)).toContain(used)
      const event = `test.zone_${'x'.repeat(count)}`
      await service.database.sql.query(
        `INSERT INTO audit_log (school_id, id, at, event, details) VALUES ($1, gen_random_uuid(), $2, $3, '{}')`,
        [service.schoolId(), summer, event],
      )
      const audit = await textOf(browser, `/account/school/audit?event=${event}`, language)
      expect(audit.slice(audit.indexOf(allowed)).slice(0, 300)).toMatch(new RegExp(`^${RegExp.escape(allowed)} .*test\\.zone`))
    })
  }

  test('follow the profile with the next page', async () => {
    const { browser } = await owner('America/New_York')
    const profile = await browser.get('/account/profile')
    const values = { name: 'Wren', given_name: '', family_name: '', locale: 'de', time_zone: 'Europe/Berlin' }
    expect((await send(browser, profile, values, /^\/account\/profile$/)).status).toBe(303)
    expect((await browser.get('/account/apps')).html).toContain('2. Juli 2026 um 00:30 MESZ')
  })

  test('of an app on the consent page are in the time zone of the account', async () => {
    const { browser, accountId } = await owner('Pacific/Kiritimati')
    await service.database.sql.query('UPDATE account SET deletion_scheduled_at = NULL WHERE id = $1', [accountId])
    const agent = await createAgent(service.issuer, { client_name: 'Young App' })
    await service.database.sql.query(`UPDATE oidc_client SET created_at = '2026-07-01T12:00:00Z' WHERE id = $1`, [agent.clientId])
    const page = await browser.follow(await browser.get(agent.authorizationUrl().href))
    expect(page.html).toContain('2 July 2026 at 02:00 GMT+14')
  })
})

describe('the days of the audit trail', () => {
  test('are days of the time zone that the page names, including those of 23 and 25 hours', async () => {
    const { browser, accountId } = await owner(null)
    const events = [
      ['spring', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z'],
      ['autumn', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59Z'],
    ] as const
    for (const [name, first, last] of events) {
      const around = [new Date(Date.parse(first) - 1000).toISOString(), first, last, new Date(Date.parse(last) + 1000).toISOString()]
      for (const at of around) {
        await service.database.sql.query(`INSERT INTO audit_log (school_id, id, at, event, details) VALUES ($1, $2, $3, $4, '{}')`, [
          service.schoolId(),
          firstIdAt(Date.parse(at)),
          at,
          `test.${name}`,
        ])
      }
    }
    const timesOn = async (event: string, day: string) => {
      const { html } = await browser.get(`/account/school/audit?event=${event}&from=${day}&until=${day}`)
      return [...html.matchAll(/datetime="([^"]*)"/g)].map(([, time]) => time)
    }
    expect(await timesOn('test.spring', '2026-03-29')).toEqual(['2026-03-29T21:59:59.000Z', '2026-03-28T23:00:00.000Z'])
    expect(await timesOn('test.autumn', '2026-10-25')).toEqual(['2026-10-25T22:59:59.000Z', '2026-10-24T22:00:00.000Z'])
    expect(await textOf(browser, '/account/school/audit', 'de')).toContain('gelten in der Zeitzone Europe/Berlin.')
    await service.database.sql.query(`UPDATE account SET time_zone = 'Asia/Tokyo' WHERE id = $1`, [accountId])
    expect(await timesOn('test.spring', '2026-03-29')).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-28T22:59:59.000Z'])
    expect(await textOf(browser, '/account/school/audit', 'en')).toContain('are in the time zone Asia/Tokyo.')
    for (const day of ['1970-01-01', '9999-12-31']) {
      expect((await browser.get(`/account/school/audit?from=${day}&until=${day}`)).status).toBe(200)
    }
  })

  test('follow each other without a gap in every time zone, and contain exactly their moments', () => {
    const moments = fc.date({ min: new Date('1973-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(fc.constantFrom(...Intl.supportedValuesOf('timeZone')), moments, (zone, moment) => {
        const day = dayIn(zone, moment)
        const [start, end] = [dayStart(day, zone), dayEnd(day, zone)]
        expect(start.getTime()).toBeLessThanOrEqual(moment.getTime())
        expect(end.getTime()).toBeGreaterThan(moment.getTime())
        expect(dayStart(addDays(day, 1), zone)).toEqual(end)
        expect(dayIn(zone, new Date(start.getTime() - 1)) < day).toBe(true)
      }),
    )
  })
})

describe('times in security e-mails', () => {
  test.each([
    [null, '(Europe/Berlin)'],
    ['America/New_York', '(America/New_York)'],
  ])('are in the time zone of the account, %s, or else of the school', async (zone, named) => {
    const { email, accountId, tokens } = await owner(zone)
    const { sql } = service.database
    const factsSince = async (before: number) =>
      (await service.emails())
        .slice(before)
        .filter(({ to }) => to === email)
        .map(({ text }) => /^When: .* (\(.*\))$/m.exec(text)?.[1])
        .filter((found) => found !== undefined)
    await sql.query('UPDATE account SET deletion_scheduled_at = NULL WHERE id = $1', [accountId])
    let before = (await service.emails()).length
    const write = (method: string, path: string) =>
      fetch(service.issuer + path, {
        method,
        headers: { authorization: `Bearer ${tokens.access_token}`, 'idempotency-key': crypto.randomUUID() },
      })
    expect((await write('DELETE', '/api/v1/account')).status).toBeLessThan(300)
    expect(await factsSince(before), 'deletion scheduled').toEqual([named])
    before = (await service.emails()).length
    expect((await write('POST', '/api/v1/account/restore')).status).toBeLessThan(300)
    expect(await factsSince(before), 'deletion cancelled').toEqual([named])
    before = (await service.emails()).length
    await choosePassword(service, await resetLink(service, email), {}, createBrowser(service.issuer))
    expect(new Set(await factsSince(before)), 'password').toEqual(new Set([named]))
  })
})
