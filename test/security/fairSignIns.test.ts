import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashPassword } from '../../src/identity/accounts/password.ts'
import { newPassword, resetLink, send } from '../pages/account/account.ts'
import { type Answer, type Browser, createBrowser, field } from '../pages/browser.ts'
import { databasesToTest, type TestDatabase } from '../support/databases.ts'
import { password, startService, type TestService } from '../support/service.ts'

const window_seconds = 600
const databases = await databasesToTest()

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
