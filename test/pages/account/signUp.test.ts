import { request } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.ts'
import type { Database } from '../../../src/database/connection/database.ts'
import type { Sql } from '../../../src/database/connection/sql.ts'
import { openTestDatabase, type TestDatabase } from '../../support/databases.ts'
import { password, startService, type TestService } from '../../support/service.ts'
import { createBrowser, field } from '../browser.ts'
import { auditOf, choosePassword, isSignedIn, lastLink, newPassword, send, signedIn, signUpLink, withoutToken } from './account.ts'

let service: TestService
let opened: TestDatabase
let statements: string[]

/** Returns the database, and adds the text of every statement to `statements`. */
function listened(database: Database): Database {
  const executor = database.kysely.getExecutor()
  const kysely = database.kysely.withPlugin({
    transformQuery({ node, queryId }) {
      statements.push(executor.compileQuery(node, queryId).sql)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const sql: Sql = {
    query(text, ...rest) {
      statements.push(text)
      return database.sql.query(text, ...rest)
    },
  }
  return { ...database, lane: (lane) => listened(database.lane(lane)), sql, kysely }
}

beforeAll(async () => {
  statements = []
  opened = await openTestDatabase()
  service = await startService({ schools: 2, database: listened(opened.database) })
  await service.addPerson({ email: 'known@example.com' })
})
beforeEach(() => {
  statements.length = 0
})
afterAll(async () => {
  await service.stop()
  await opened.drop()
})

const accounts = (email: string) =>
  service.database.kysely.selectFrom('account').selectAll().where('email', '=', email).where('school_id', '=', service.schoolId()).execute()
const persons = (email: string) => service.database.kysely.selectFrom('person').selectAll().where('email', '=', email).execute()
const ask = async (fields: Record<string, string>, path = '/account/sign-up') => {
  const browser = createBrowser(service.issuer)
  const page = await browser.get(path)
  statements.length = 0
  return send(browser, page, fields)
}

describe('sign-up', () => {
  test('makes an account and a student, at the end of the link and not before, and signs the person in until the browser closes', async () => {
    const browser = createBrowser(service.issuer)
    const link = await signUpLink(service, 'new@example.com', '  Wren \n Applegarth ', browser)
    expect([await accounts('new@example.com'), await persons('new@example.com')]).toEqual([[], []])
    expect(await isSignedIn(browser)).toBe(false)

    const page = await browser.get(link.href)
    expect(page.html).toContain('value="new@example.com"')
    expect(await accounts('new@example.com')).toEqual([])

    const done = await send(browser, page, { password: newPassword, repeated: newPassword })
    expect([done.status, done.location?.pathname]).toEqual([303, '/account'])
    const cookies = done.headers.getSetCookie().filter((line) => line.startsWith('sg_session'))
    expect(cookies.filter((line) => /expires|max-age/i.test(line))).toEqual([])
    expect(await isSignedIn(browser)).toBe(true)
    const [account] = await accounts('new@example.com')
    expect(account).toMatchObject({ name: 'Wren Applegarth', email_verified: true, password_hash: expect.stringMatching(/^\$argon2id\$/) })
    expect(await persons('new@example.com')).toMatchObject([{ account_id: account?.id, is_student: true, is_member: true }])
    await signedIn(service, 'new@example.com', newPassword)
    expect((await auditOf(service, 'account.created')).at(-1)?.account_id).toBe(account?.id)
  })

  test('joins the person whom the school knows by that address, with their role, and only through the link', async () => {
    const personId = newId()
    const common = { school_id: service.schoolId(), name: 'Imported', email: 'imported@example.com' }
    await service.database.kysely
      .insertInto('person')
      .values({ ...common, id: personId, is_member: true })
      .execute()
    await service.database.kysely
      .insertInto('staff')
      .values({ school_id: service.schoolId(), id: newId(), person_id: personId, role: 'lecturer', status: 'active' })
      .execute()
    const link = await signUpLink(service, 'imported@example.com', 'Somebody Else')
    expect(await persons('imported@example.com')).toMatchObject([{ id: personId, account_id: null }])
    await choosePassword(service, link)
    const [account] = await accounts('imported@example.com')
    expect(await persons('imported@example.com')).toMatchObject([
      { id: personId, account_id: account?.id, name: 'Imported', is_member: true, is_student: false },
    ])
    const staff = await service.database.kysely.selectFrom('staff').selectAll().where('person_id', '=', personId).execute()
    expect(staff).toMatchObject([{ role: 'lecturer', status: 'active' }])
  })

  test('does not take a person away from the account that they have', async () => {
    const { accountId, personId } = await service.addPerson({ email: 'before@example.com' })
    await service.database.kysely.updateTable('account').set({ email: 'after@example.com' }).where('id', '=', accountId).execute()
    await choosePassword(service, await signUpLink(service, 'before@example.com'))
    expect(await persons('before@example.com')).toMatchObject([{ id: personId, account_id: accountId }])
    expect(await accounts('before@example.com')).toHaveLength(1)
  })

  test('answers the same for known and unknown addresses, in status, headers, body and what was looked up by then', async () => {
    const seen = []
    for (const email of ['known@example.com', 'never1@example.com', 'KNOWN@example.com ']) {
      const { status, headers, html } = await ask({ email, name: 'A' })
      const asked = [...statements]
      const { date: _date, 'request-id': _id, 'content-length': _length, ...rest } = Object.fromEntries(headers)
      seen.push({ status, rest, html: withoutToken(html).replaceAll(email.trim().toLowerCase(), 'ADDRESS'), asked })
      await service.emails()
    }
    expect(seen[1]).toEqual(seen[0])
    expect(seen[2]).toEqual(seen[0])
    expect(seen[0]?.asked.length).toBeGreaterThan(0)
    expect(seen[0]?.asked.filter((text) => /\b(account|person|mailed_link)\b/.test(text))).toEqual([])
    expect(seen[0]?.status).toBe(200)
  })

  test('writes to a known address that there is an account, without a link that makes one', async () => {
    await ask({ email: 'known@example.com', name: 'https://evil.example buy now' })
    const email = (await service.emails()).at(-1)
    expect(email).toMatchObject({ to: 'known@example.com', subject: expect.stringContaining('already have an account') })
    expect(email?.text).not.toMatch(/token=|evil/)
    expect([...(email?.text.matchAll(/https?:\/\/\S+/g) ?? [])].map(String)).toEqual([
      `${service.issuer}/account/sign-in`,
      `${service.issuer}/account/password`,
    ])
  })

  test('repeats nothing in a message that a stranger typed', async () => {
    await ask({ email: 'target@example.com', name: 'Win money at https://evil.example' })
    const email = (await service.emails()).at(-1)
    expect(JSON.stringify(email)).not.toMatch(/evil|money/)
  })

  test('a school without sign-up creates no account without an invitation, also from a link that was sent before', async () => {
    const link = await signUpLink(service, 'late@example.com')
    const browser = createBrowser(service.issuer)
    const form = await browser.get('/account/sign-up')
    const page = await browser.get(link.href)
    const school = service.database.kysely.updateTable('school').where('id', '=', service.schoolId())
    const before = (await service.emails()).length
    await school.set({ registration: 'invite_only' }).execute()
    try {
      expect((await send(browser, form, { email: 'later@example.com', name: 'A' })).status).toBe(200)
      expect((await send(browser, page, { password: newPassword, repeated: newPassword })).status).toBe(410)
      expect(await accounts('late@example.com')).toEqual([])
      expect(await service.emails()).toHaveLength(before)
    } finally {
      await school.set({ registration: 'open' }).execute()
    }
  })

  describe.each(['invite_only', 'closed'])('where registration is %s', (registration) => {
    const school = () => service.database.kysely.updateTable('school').where('id', '=', service.schoolId())
    beforeEach(async () => void (await school().set({ registration }).execute()))
    afterEach(async () => void (await school().set({ registration: 'open' }).execute()))

    const invite = async (email: string, status = 'invited'): Promise<string> => {
      const row = { school_id: service.schoolId(), id: newId() }
      await service.database.kysely
        .insertInto('person')
        .values({ ...row, email, name: 'Rowan' })
        .execute()
      await service.database.kysely
        .insertInto('staff')
        .values({ school_id: service.schoolId(), id: newId(), person_id: row.id, role: 'lecturer', status })
        .execute()
      return row.id
    }
    const removeInvitation = (personId: string) =>
      service.database.kysely.updateTable('staff').set({ status: 'removed' }).where('person_id', '=', personId).execute()

    test('an invited address gets a link, and its person works at the school once the account is made', async () => {
      const email = `invited-${registration}@example.com`
      const personId = await invite(email)
      const link = await signUpLink(service, email)
      expect((await choosePassword(service, link)).status).toBe(303)
      const [person] = await service.database.sql.query<{ status: string; account_id: string | null }>(
        'SELECT status, account_id FROM staff JOIN person ON person.id = staff.person_id WHERE person.id = $1',
        [personId],
      )
      expect(person).toEqual({ status: 'active', account_id: expect.any(String) })
      await signedIn(service, email, newPassword)
    })

    test('the response does not reveal whether an address is invited, and only invited addresses get an e-mail', async () => {
      const [invited, removed, stranger] = ['a', 'b', 'c'].map((name) => `${name}-${registration}@example.com`) as [string, string, string]
      await invite(invited)
      await invite(removed, 'removed')
      const pages = new Map<string, string>()
      for (const email of [invited, removed, stranger]) {
        const browser = createBrowser(service.issuer)
        const before = (await service.emails()).length
        const answer = await send(browser, await browser.get('/account/sign-up'), { email, name: 'Rowan' })
        expect(answer.status).toBe(200)
        pages.set(email, withoutToken(answer.html).replaceAll(email, 'ADDRESS'))
        expect([email, (await service.emails()).length - before]).toEqual([email, email === invited ? 1 : 0])
      }
      expect(new Set(pages.values()).size).toBe(1)
    })

    test('an account is not made by a link whose address may have none any more when the password is chosen', async () => {
      const email = `late-${registration}@example.com`
      await school().set({ registration: 'open' }).execute()
      const browser = createBrowser(service.issuer)
      const page = await browser.get((await signUpLink(service, email)).href)
      expect(page.html).toContain(email)
      await school().set({ registration }).execute()
      const refused = await send(browser, page, { password: newPassword, repeated: newPassword })
      expect([refused.html.includes('Your account is ready'), await accounts(email), await persons(email)]).toEqual([false, [], []])
    })

    test('a withdrawn invitation is invalid, also with a link that was sent before', async () => {
      const email = `withdrawn-${registration}@example.com`
      const personId = await invite(email)
      const link = await signUpLink(service, email)
      const browser = createBrowser(service.issuer)
      const page = await browser.get(link.href)
      await removeInvitation(personId)
      expect((await browser.get(link.href)).status).toBe(410)
      expect((await send(browser, page, { password: newPassword, repeated: newPassword })).status).toBe(410)
      expect(await accounts(email)).toEqual([])
    })

    test('an invitation of another school is invalid', async () => {
      const email = `elsewhere-${registration}@example.com`
      await invite(email)
      const other = createBrowser(service.other)
      await service.database.sql.query(`UPDATE school SET registration = $1 WHERE slug = 'second'`, [registration])
      try {
        const before = (await service.emails()).length
        expect((await send(other, await other.get('/account/sign-up'), { email, name: 'Rowan' })).status).toBe(200)
        expect(await service.emails()).toHaveLength(before)
      } finally {
        await service.database.sql.query(`UPDATE school SET registration = 'open' WHERE slug = 'second'`)
      }
    })
  })

  test.each([
    ['a name and an address that are empty', { email: '', name: ' ' }, ['email', 'name']],
    ['a name of 121 characters', { email: 'x@example.com', name: 'é'.repeat(121) }, ['name']],
    ['an address with a line break and a header', { email: 'x@example.com\r\nBcc: evil@example.com', name: 'A' }, ['email']],
    ['an encoded line break', { email: 'x@example.com%0d%0aBcc:evil@example.com', name: 'A' }, ['email']],
    ['two addresses', { email: 'x@example.com,evil@example.com', name: 'A' }, ['email']],
    ['an address in brackets', { email: '<x@example.com>', name: 'A' }, ['email']],
    ['an address that ends early', { email: 'x>,evil@example.com', name: 'A' }, ['email']],
    ['a quoted local part', { email: '"x y"@example.com', name: 'A' }, ['email']],
    ['a letter outside ASCII before the @', { email: 'é@example.com', name: 'A' }, ['email']],
    ['a host that is a literal', { email: 'x@[127.0.0.1]', name: 'A' }, ['email']],
    ['a NUL', { email: 'x\0@example.com', name: 'A' }, ['email']],
  ])('rejects %s next to the field, and sends nothing', async (_what, fields, blamed) => {
    const before = (await service.emails()).length
    const answer = await ask(fields)
    expect(answer.status).toBe(400)
    for (const name of ['email', 'name']) expect(answer.html.includes(`id="${name}-error"`)).toBe(blamed.includes(name))
    for (const name of blamed) expect(answer.html).toMatch(new RegExp(`aria-invalid="true"\\s+aria-describedby="${name}-error"`))
    expect(await service.emails()).toHaveLength(before)
  })
})

describe('a mailed link', () => {
  test('works once, also for two who use it at the same time', async () => {
    const link = await signUpLink(service, 'once@example.com')
    const browsers = [createBrowser(service.issuer), createBrowser(service.issuer), createBrowser(service.issuer)]
    const pages = await Promise.all(browsers.map((browser) => browser.get(link.href)))
    const answers = await Promise.all(
      browsers.map((browser, at) => send(browser, pages[at] as (typeof pages)[0], { password: newPassword, repeated: newPassword })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 410, 410])
    expect(await accounts('once@example.com')).toHaveLength(1)
    expect((await createBrowser(service.issuer).get(link.href)).status).toBe(410)
  })

  test('works for an hour', async () => {
    const link = await signUpLink(service, 'slow@example.com')
    const [row] = await service.database.sql.query<{ left: number }>(
      `SELECT extract(epoch FROM expires_at - now())::float8 AS left FROM mailed_link WHERE email = 'slow@example.com'`,
    )
    expect(row?.left).toBeGreaterThan(3500)
    expect(row?.left).toBeLessThanOrEqual(3600)
    const browser = createBrowser(service.issuer)
    const page = await browser.get(link.href)
    await service.database.sql.query(`UPDATE mailed_link SET expires_at = now() WHERE email = 'slow@example.com'`)
    expect((await browser.get(link.href)).status).toBe(410)
    expect((await send(browser, page, { password: newPassword, repeated: newPassword })).status).toBe(410)
    expect(await accounts('slow@example.com')).toEqual([])
  })

  test('is invalid at another school and for another purpose', async () => {
    const link = await signUpLink(service, 'here@example.com')
    const elsewhere = new URL(link)
    elsewhere.host = new URL(service.other).host
    const other = createBrowser(service.other)
    expect((await other.get(elsewhere.href)).status).toBe(410)
    const form = await other.get('/account/sign-up')
    const token = link.searchParams.get('token') ?? ''
    const posted = await other.post('/account/sign-up/finish', {
      csrf: field(form.html, 'csrf'),
      token,
      password: newPassword,
      repeated: newPassword,
    })
    expect(posted.status).toBe(410)
    expect((await createBrowser(service.issuer).get(`/account/password/new?token=${token}`)).status).toBe(410)
    expect((await createBrowser(service.issuer).get(link.href)).status).toBe(200)
  })

  test('invented, missing or given twice leads to the same page', async () => {
    const pages = []
    for (const query of ['', '?token=', '?token=made-up', '?token=a&token=b', `?token=${'x'.repeat(5000)}`, '?token=%00']) {
      const answer = await createBrowser(service.issuer).get(`/account/sign-up/finish${query}`)
      expect(answer.status).toBe(410)
      pages.push(answer.html)
    }
    expect(new Set(pages).size).toBe(1)
  })

  test('is stored as a hash, and is in no log line and no audit row', async () => {
    const link = await signUpLink(service, 'hidden@example.com')
    const token = link.searchParams.get('token') ?? ''
    expect(token).toMatch(/^[\w-]{43}$/)
    await choosePassword(service, link)
    const rows = await service.database.sql.query(`SELECT * FROM mailed_link WHERE email = 'hidden@example.com'`)
    const trail = await service.database.sql.query('SELECT * FROM audit_log')
    expect(rows).toHaveLength(1)
    expect(JSON.stringify([rows, trail])).not.toContain(token)
    expect(service.log()).not.toContain(token)
    expect(service.log()).not.toContain('hidden@example.com')
    expect(JSON.stringify(trail)).not.toContain('@')
  })

  test('is of the configured issuer, whatever host the request names', async () => {
    const single = await startService()
    try {
      const form = await askAs(single.issuer, 'GET', { host: 'evil.example', 'x-forwarded-host': 'evil.example' })
      const cookie = form.cookies.map((line) => line.split(';')[0]).join('; ')
      const body = new URLSearchParams({ csrf: field(form.text, 'csrf'), email: 'host@example.com', name: 'A' }).toString()
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example', cookie }
      const answer = await askAs(single.issuer, 'POST', { ...headers, 'content-type': 'application/x-www-form-urlencoded' }, body)
      expect(answer.status).toBe(200)
      const [email] = await single.emails()
      expect((await lastLink(single, 'host@example.com')).origin).toBe(single.issuer)
      expect(JSON.stringify(email)).not.toContain('evil')
    } finally {
      await single.stop()
    }
  })

  test('for an address that got an account meanwhile makes no second one', async () => {
    const [first, second] = [await signUpLink(service, 'twice@example.com'), await signUpLink(service, 'twice@example.com')]
    await choosePassword(service, first)
    expect((await choosePassword(service, second, { password, repeated: password })).status).toBe(410)
    await signedIn(service, 'twice@example.com', newPassword)
  })
})

describe('a chosen password', () => {
  test.each([
    ['is short', 'seven77', 'too short'],
    ['is beyond 1024 bytes', 'é'.repeat(513), 'too long'],
    ['is common', 'Password2026!', 'too easy to guess'],
    ['is the address', 'Chooser.Example1', 'too similar to'],
    ["is the school's name", 'First-School-1', 'too similar to'],
    ['holds a line break', 'two\nlines of it', 'cannot be typed'],
  ])('that %s is rejected next to its field, and the link stays valid', async (_what, secret, text) => {
    const link = await signUpLink(service, 'chooser@example.com')
    const browser = createBrowser(service.issuer)
    const answer = await send(browser, await browser.get(link.href), { password: secret, repeated: secret })
    expect([answer.status, answer.html]).toEqual([400, expect.stringContaining(text)])
    expect(answer.html).toMatch(/aria-describedby="password-hint password-error"/)
    expect(answer.html).not.toContain(secret)
    expect((await browser.get(link.href)).status).toBe(200)
  })

  test('must be written twice, and may be long, with spaces and of any alphabet', async () => {
    const link = await signUpLink(service, 'alphabet@example.com')
    const secret = `пять фонарей ${'🏮 '.repeat(20)}`
    expect((await choosePassword(service, link, { password: secret, repeated: `${secret}.` })).status).toBe(400)
    expect((await choosePassword(service, link, { password: secret, repeated: secret })).status).toBe(303)
    await signedIn(service, 'alphabet@example.com', secret)
  })
})

function askAs(
  address: string,
  method: string,
  headers: Record<string, string>,
  body?: string,
): Promise<{ status: number; text: string; cookies: string[] }> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: '/account/sign-up', method, headers }, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('')
      resolve({ status: response.statusCode ?? 0, text, cookies: response.headers['set-cookie'] ?? [] })
    })
    sent.once('error', reject).end(body)
  })
}
