import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inSchool, schoolDatabase } from '../../src/database/school/inSchool.ts'
import { hashPassword } from '../../src/identity/accounts/password.ts'
import { signOutEverywhere } from '../../src/identity/accounts/signOutEverywhere.ts'
import { setPassword } from '../../src/school/people/people.ts'
import { choosePassword, newPassword, resetLink, send, signedIn } from '../pages/account/account.ts'
import { type Answer, type Browser, createBrowser, field } from '../pages/browser.ts'
import { createAgent } from '../support/agent.ts'
import { databasesToTest, type TestDatabase } from '../support/databases.ts'
import { password, startService, type TestService } from '../support/service.ts'

const window_seconds = 600
const cookie = 'sg_known'
const rate_limits = {
  sign_in_per_account: { requests: 3, window_seconds },
  sign_in_per_account_total: { requests: 7, window_seconds },
  sign_in_per_known_browser: { requests: 2, window_seconds },
  sign_in_per_account_known_browsers: { requests: 5, window_seconds },
  sign_in_per_address: { requests: 5, window_seconds },
}

/** Characters that people and programs add to an address: JavaScript and SQL trim different sets of these. */
const spaces = [' ', '\t', '\u00a0', '\u1680', '\u2003', '\u2028', '\u202f', '\u205f', '\u3000', '\ufeff']

const databases = await databasesToTest()

describe('limits of sign-ins', () => {
  let service: TestService
  let database: TestDatabase
  let people = 0
  let networks = 0

  beforeAll(async () => {
    database = await (databases.at(-1) as (typeof databases)[number]).open()
    service = await startService({
      isLimited: true,
      schools: 2,
      database: database.database,
      server: { rate_limits, trusted_proxies: ['loopback'], passwords: { queue: 200 } },
    })
  })
  afterAll(async () => {
    await service.stop()
    await database.drop()
  })

  /** A new person, and addresses in networks that no other test uses. */
  async function newPerson(): Promise<string> {
    people += 1
    const email = `person${people}@example.org`
    await service.addPerson({ email })
    return email
  }
  const newNetwork = (): ((host?: number) => string) => {
    networks += 1
    const network = networks
    return (host = 1) => `198.${18 + (network >> 8)}.${network & 255}.${host}`
  }

  /** Sends one attempt, by default in a new browser. */
  async function attempt(
    typed: string,
    { from, secret = 'wrong', browser = createBrowser(service.issuer) }: { from: string; secret?: string; browser?: Browser },
  ): Promise<Answer> {
    const headers = { 'x-forwarded-for': from }
    const page = await browser.get('/account/sign-in', headers)
    return browser.post('/account/sign-in', { csrf: field(page.html, 'csrf'), email: typed, password: secret }, headers)
  }
  const statuses = async (answers: (() => Promise<Answer>)[]): Promise<number[]> => {
    const found: number[] = []
    for (const answer of answers) found.push((await answer()).status)
    return found
  }
  /** A browser that signed in to the account and signed out again. */
  async function knownBrowser(email: string, from: string): Promise<Browser> {
    const browser = createBrowser(service.issuer)
    expect((await attempt(email, { from, secret: password, browser })).status).toBe(303)
    browser.plant('sg_session', '')
    return browser
  }

  test('padded, Unicode-spaced and cased spellings of an address share one count, on both sign-in pages', async () => {
    const [email, at] = [await newPerson(), newNetwork()]
    const padding = Array.from({ length: 300 }, (_, index) => spaces[index % spaces.length]).join('')
    const spellings = [email.toUpperCase(), `${padding}${email}`, `${email}${padding}`]
    expect(await statuses(spellings.map((typed) => () => attempt(typed, { from: at() })))).toEqual([400, 400, 400])
    for (const typed of [email, `${padding.slice(7)}${email}${padding}`, ` ${email}`]) {
      expect((await attempt(typed, { from: at(), secret: password })).status).toBe(429)
    }
    // Text behind the padding makes it no address at all, however much of it a limit of length would cut off.
    for (const [host, lead] of ['', ' ', '\u2003'].entries()) {
      const typed = `${lead}${email}${padding}`.padEnd(320, '\u00a0')
      expect((await attempt(`${typed}x`, { from: at(10 + host), secret: password })).status).toBe(400)
    }
    const agent = await createAgent(service.issuer)
    const browser = createBrowser(service.issuer)
    const page = await browser.follow(await browser.get(agent.authorizationUrl().href))
    const form = { csrf: field(page.html, 'csrf'), email: `\u3000${email}`, password }
    expect((await browser.post(`${page.url.pathname}/sign-in`, form, { 'x-forwarded-for': at() })).status).toBe(429)
  })

  test('correct sign-ins use up nothing: a school behind one address signs in', async () => {
    const at = newNetwork()
    for (let count = 0; count < 8; count += 1) {
      expect((await attempt(await newPerson(), { from: at(), secret: password })).status).toBe(303)
    }
    expect(await statuses(Array.from({ length: 6 }, () => async () => attempt(await newPerson(), { from: at() })))).toEqual([
      400, 400, 400, 400, 400, 429,
    ])
  })

  test('parallel correct sign-ins from one address are all accepted', async () => {
    const at = newNetwork()
    const emails = await Promise.all(Array.from({ length: 16 }, newPerson))
    const answers = await Promise.all(emails.map((email) => attempt(email, { from: at(), secret: password })))
    expect(answers.map(({ status }) => status)).toEqual(emails.map(() => 303))
  })

  test('parallel wrong sign-ins exceed neither the limit of an address nor that of an account', async () => {
    const at = newNetwork()
    const emails = Array.from({ length: 16 }, (_, index) => `nobody${index}@example.org`)
    const byAddress = await Promise.all(emails.map((email) => attempt(email, { from: at() })))
    expect(byAddress.filter(({ status }) => status === 400)).toHaveLength(5)
    expect(byAddress.filter(({ status }) => status === 429)).toHaveLength(11)
    const [email, other] = [await newPerson(), newNetwork()]
    const byAccount = await Promise.all(emails.map((_, index) => attempt(email, { from: other(index + 1) })))
    expect(byAccount.filter(({ status }) => status === 400)).toHaveLength(3)
  })

  test('a success clears the count of the account', async () => {
    const [email, at] = [await newPerson(), newNetwork()]
    const wrong = (): Promise<Answer> => attempt(email, { from: at() })
    const right = (): Promise<Answer> => attempt(email, { from: at(2), secret: password })
    expect(await statuses([wrong, wrong, right])).toEqual([400, 400, 303])
    // Another address of the same network, so that the limit of an address is not reached.
    const again = (): Promise<Answer> => attempt(email, { from: at(3) })
    expect(await statuses([again, again, right, again, again, again])).toEqual([400, 400, 303, 400, 400, 400])
    expect((await right()).status).toBe(429)
  })

  test('failures count per account and network: a stranger elsewhere does not lock the owner out', async () => {
    const [email, stranger, owner] = [await newPerson(), newNetwork(), newNetwork()]
    expect(await statuses([1, 2, 3, 4].map((host) => () => attempt(email, { from: stranger(host) })))).toEqual([400, 400, 400, 429])
    expect((await attempt(email, { from: owner(), secret: password })).status).toBe(303)
  })

  test('failures over all networks have a larger limit', async () => {
    const email = await newPerson()
    const found = await statuses(Array.from({ length: 9 }, () => () => attempt(email, { from: newNetwork()() })))
    expect(found).toEqual([400, 400, 400, 400, 400, 400, 400, 429, 429])
    expect((await attempt(email, { from: newNetwork()(), secret: password })).status).toBe(429)
  })

  describe('a browser that signed in to the account before', () => {
    test('signs in while strangers have used up every other limit, from the same address too', async () => {
      const [email, at] = [await newPerson(), newNetwork()]
      const browser = await knownBrowser(email, at())
      for (let count = 0; count < 7; count += 1) await attempt(email, { from: newNetwork()() })
      for (let count = 0; count < 6; count += 1) await attempt(`nobody${count}@example.org`, { from: at() })
      expect((await attempt(email, { from: at(), secret: password })).status).toBe(429)
      expect((await attempt(email, { from: at(), secret: password, browser })).status).toBe(303)
    })

    test('has an allowance of a few failures, which a copy of its cookie shares and a success renews', async () => {
      const [email, at] = [await newPerson(), newNetwork()]
      const browser = await knownBrowser(email, at())
      const copy = createBrowser(service.issuer)
      copy.plant(cookie, browser.cookie(cookie) ?? '')
      const wrong = (): Promise<Answer> => attempt(email, { from: newNetwork()(), browser: copy })
      expect(await statuses([wrong, () => attempt(email, { from: at(), secret: password, browser })])).toEqual([400, 303])
      browser.plant('sg_session', '')
      expect(await statuses([wrong, wrong, wrong])).toEqual([400, 400, 429])
      expect((await attempt(email, { from: at(), secret: password, browser })).status).toBe(429)
    })

    test('gets nothing from its cookie for another account, at another school, or after a change of the cookie', async () => {
      const [other, victim, at] = [await newPerson(), await newPerson(), newNetwork()]
      await service.addPerson({ email: victim, school: service.other })
      const elsewhere = createBrowser(service.other)
      expect((await attempt(victim, { from: at(), secret: password, browser: elsewhere })).status).toBe(303)
      const genuine = (await knownBrowser(victim, at())).cookie(cookie) ?? ''
      const [id = '', issued = '', signature = ''] = genuine.split('.')
      const planted = [
        (await knownBrowser(other, at())).cookie(cookie) ?? '',
        elsewhere.cookie(cookie) ?? '',
        `${'A'.repeat(22)}.${issued}.${signature}`,
        `${id}.${issued}.${'A'.repeat(43)}`,
        `${id}.${issued.slice(0, -1)}0.${signature}`,
        `${id}.${issued}`,
        'x'.repeat(4000),
        '~~~~.',
      ]
      // The network is locked for this account: only a known browser gets past.
      for (let count = 1; count <= 3; count += 1) await attempt(victim, { from: at(count) })
      for (const [value, expected] of [...planted.map((value) => [value, 429] as const), [genuine, 303] as const]) {
        const browser = createBrowser(service.issuer)
        browser.plant(cookie, value)
        expect([value, (await attempt(victim, { from: at(4), secret: password, browser })).status]).toEqual([value, expected])
      }
    })

    test('is recognised for several accounts, and is signed in to none by it', async () => {
      const [one, two, at] = [await newPerson(), await newPerson(), newNetwork()]
      const browser = await knownBrowser(one, at())
      expect((await attempt(two, { from: at(), secret: password, browser })).status).toBe(303)
      const visitor = createBrowser(service.issuer)
      visitor.plant(cookie, browser.cookie(cookie) ?? '')
      expect((await visitor.get('/account/apps')).location?.pathname).toBe('/account/sign-in')
      for (const email of [one, two]) {
        for (let count = 1; count <= 4; count += 1) await attempt(email, { from: at(count) })
        expect((await attempt(email, { from: at(9), secret: password })).status).toBe(429)
        expect((await attempt(email, { from: at(9), secret: password, browser: visitor })).status).toBe(303)
        visitor.plant('sg_session', '')
      }
    })

    test('shares a total of the account with all others, which a success does not renew', async () => {
      const [email, at] = [await newPerson(), newNetwork()]
      const browsers = await Promise.all(Array.from({ length: 4 }, () => knownBrowser(email, at())))
      const [first, second, third, owner] = browsers as [Browser, Browser, Browser, Browser]
      const wrong = (browser: Browser) => (): Promise<Answer> => attempt(email, { from: newNetwork()(), browser })
      expect(await statuses([first, first, first, second, second].map(wrong))).toEqual([400, 400, 429, 400, 400])
      expect((await attempt(email, { from: at(), secret: password, browser: owner })).status).toBe(303)
      owner.plant('sg_session', '')
      expect(await statuses([third, third].map(wrong))).toEqual([400, 429])
      expect((await attempt(email, { from: at(), secret: password, browser: owner })).status).toBe(429)
    })

    /** Ways to end known browsers. `browser` is signed in as the owner. */
    const ways: [string, (email: string, browser: Browser) => Promise<unknown>][] = [
      [
        'a change of the password',
        async (_email, browser) =>
          send(
            browser,
            await browser.get('/account/login'),
            { current: password, password: newPassword, repeated: newPassword },
            /password$/,
          ),
      ],
      ['a reset of the password', async (email) => choosePassword(service, await resetLink(service, email))],
      [
        'a password set by an operator',
        async (email) => {
          const schoolId = service.schoolId()
          const account = await findPersonByEmail(email)
          await service.database.transaction((writer) =>
            setPassword(inSchool(writer, schoolId), { accountId: account.id, passwordHash: account.password_hash ?? '' }),
          )
        },
      ],
      [
        'a sign-out everywhere',
        async (email) =>
          signOutEverywhere(schoolDatabase(service.database, service.schoolId(), 'person'), (await findPersonByEmail(email)).id),
      ],
    ]
    const findPersonByEmail = (email: string) =>
      service.database.kysely.selectFrom('account').select(['id', 'password_hash']).where('email', '=', email).executeTakeFirstOrThrow()

    test.each(ways)('is a stranger again after %s: a collection of cookies allows no more guesses', async (_way, end) => {
      const [email, thief] = [await newPerson(), newNetwork()]
      const stolen = await Promise.all(Array.from({ length: 4 }, () => knownBrowser(email, thief())))
      const owner = await signedIn(service, email)
      await end(email, owner)
      const guesses: number[] = []
      for (const browser of stolen)
        for (let count = 0; count < 2; count += 1) guesses.push((await attempt(email, { from: thief(), browser })).status)
      expect(guesses).toEqual([400, 400, 400, 429, 429, 429, 429, 429])
    })

    test('stays known where it changed the password itself', async () => {
      const email = await newPerson()
      const browser = await signedIn(service, email)
      const page = await browser.get('/account/login')
      await send(browser, page, { current: password, password: newPassword, repeated: newPassword }, /password$/)
      browser.plant('sg_session', '')
      const at = newNetwork()
      for (let count = 1; count <= 4; count += 1) await attempt(email, { from: at(count) })
      expect((await attempt(email, { from: at(5), secret: newPassword })).status).toBe(429)
      expect((await attempt(email, { from: at(5), secret: newPassword, browser })).status).toBe(303)
    })

    test('is remembered by a cookie that scripts cannot read and that does not contain the address', async () => {
      const [email, at] = [await newPerson(), newNetwork()]
      const answer = await attempt(email, { from: at(), secret: password })
      const line = answer.headers.getSetCookie().find((one) => one.startsWith(`${cookie}=`))
      expect(line).toMatch(/^sg_known=[\w-]{22}\.\w+\.[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/)
      expect(Buffer.from(line ?? '', 'base64url').toString('latin1')).not.toContain('person')
      expect((await attempt(email, { from: at() })).headers.getSetCookie().join()).not.toContain(cookie)
    })
  })
})

describe('one person with several accounts and many connections', () => {
  let service: TestService
  let database: TestDatabase
  let networks = 0

  beforeAll(async () => {
    database = await (databases.at(-1) as (typeof databases)[number]).open()
    service = await startService({
      isLimited: true,
      schools: 2,
      database: database.database,
      server: {
        rate_limits: { password_uses_per_account: { requests: 12, window_seconds } },
        trusted_proxies: ['loopback'],
        passwords: { concurrency: 1, queue: 8 },
      },
    })
  })
  afterAll(async () => {
    await service.stop()
    await database.drop()
  })

  /** A person whose password costs as much to check as in production. */
  async function newPerson(email: string, school = service.issuer): Promise<void> {
    const { accountId } = await service.addPerson({ email, school })
    const password_hash = await hashPassword(password)
    await database.database.kysely.updateTable('account').set({ password_hash }).where('id', '=', accountId).execute()
  }
  const newNetwork = (): string => {
    networks += 1
    return `198.51.${networks}.7`
  }

  async function attempt(email: string, from: string, browser: Browser): Promise<Answer> {
    const headers = { 'x-forwarded-for': from }
    const page = await browser.get('/account/sign-in', headers)
    const answer = await browser.post('/account/sign-in', { csrf: field(page.html, 'csrf'), email, password }, headers)
    browser.plant('sg_session', '')
    return answer
  }

  /** Runs `work` while five accounts sign in with four connections each, all with the right password. Returns the statuses that they got. */
  async function underAttack(from: string, work: () => Promise<void>): Promise<number[]> {
    const statuses: number[] = []
    let isOver = false
    const emails = Array.from({ length: 5 }, (_, index) => `attacker${index}.${networks}@example.org`)
    for (const email of emails) await newPerson(email, service.other)
    const connections = Array.from({ length: 20 }, async (_, index) => {
      const browser = createBrowser(service.other)
      while (!isOver) statuses.push((await attempt(emails[index % 5] ?? '', from, browser)).status)
    })
    await work().finally(() => {
      isOver = true
    })
    await Promise.all(connections)
    return statuses
  }

  async function signInsOfOthers(
    from: () => string,
    { isKnown, attackFrom = newNetwork() }: { isKnown: boolean; attackFrom?: string },
  ): Promise<number[]> {
    const email = `victim${networks}.${isKnown}@example.org`
    await newPerson(email)
    const known = createBrowser(service.issuer)
    if (isKnown) await attempt(email, newNetwork(), known)
    const found: number[] = []
    await underAttack(attackFrom, async () => {
      for (let count = 0; count < 4; count += 1)
        found.push((await attempt(email, from(), isKnown ? known : createBrowser(service.issuer))).status)
    })
    return found
  }
  const all = Array<number>(4).fill(303)

  test('refuse no sign-in of others, from other networks, in new browsers and in known ones', async () => {
    expect(await signInsOfOthers(newNetwork, { isKnown: false })).toEqual(all)
    expect(await signInsOfOthers(newNetwork, { isKnown: true })).toEqual(all)
  })

  test('refuse no sign-in of others from the same address, as behind the NAT of a school', async () => {
    const shared = newNetwork()
    expect(await signInsOfOthers(() => shared, { isKnown: false, attackFrom: shared })).toEqual(all)
  })

  test('cannot keep others from choosing a new password', async () => {
    const email = 'forgetful@example.org'
    await newPerson(email)
    const link = await resetLink(service, email)
    const browser = createBrowser(service.issuer)
    const page = await browser.get(link.href)
    let status = 0
    await underAttack(newNetwork(), async () => {
      status = (await send(browser, page, { password: newPassword, repeated: newPassword })).status
    })
    expect(status).toBe(200)
  })

  test('reach a limit of right sign-ins, for each account and network', async () => {
    const email = 'tireless@example.org'
    await newPerson(email)
    const [from, browser] = [newNetwork(), createBrowser(service.issuer)]
    const statuses: number[] = []
    for (let count = 0; count < 13; count += 1) statuses.push((await attempt(email, from, browser)).status)
    expect(statuses).toEqual([...Array<number>(12).fill(303), 429])
    expect((await attempt(email, newNetwork(), createBrowser(service.issuer))).status).toBe(303)
  })
})
