import { describe, expect, test } from 'vitest'
import { hashedId } from '../../../src/base/ids.ts'
import { createAgent, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import type { Browser } from '../browser.ts'
import { send, signedIn } from './account.ts'

const service = duringTests(() => startService({ redis: false }))

const scope = 'openid profile account:read account:write courses:read'
let count = 0

async function connected(role: 'owner' | 'learner' = 'learner') {
  const email = `${role}${++count}@example.com`
  const { accountId } = await service.addPerson({ email, role })
  const agent = await createAgent(service.issuer, { client_name: 'Registered Agent' })
  const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
  const grants = () =>
    service.database.sql.query<{ id: string; own_name: string | null }>(
      'SELECT id, own_name FROM oidc_grant WHERE account_id = $1 ORDER BY created_at',
      [accountId],
    )
  const [grant] = await grants()
  const browser = await signedIn(service, email)
  const page = `/account/apps/${hashedId('aut', String(grant?.id))}`
  return { email, agent, token: String(body.access_token), browser, page, grants }
}
const rename = async (browser: Browser, page: string, name: string) => send(browser, await browser.get(page), { name }, /\/rename$/)
const names = async (token: string): Promise<unknown[]> =>
  (await withToken(`${service.issuer}/api/v1/account/authorizations`, token)).body.data.map(
    ({ name, client }: { name: string | null; client: { client_name: string } }) => [name, client.client_name],
  )

describe('the name that a person gives an app', () => {
  test.each(['Claude on Mum’s laptop', 'Агент на ноутбуке', 'وكيل الحاسوب', '学习助手', 'सहायक', 'מחשב של אמא'])(
    'is shown on their pages and in their API, next to the registered one: %s',
    async (name) => {
      const { browser, page, token, agent, email, grants } = await connected()
      const renamed = await rename(browser, page, `  ${name} `)
      expect([renamed.status, renamed.location?.search]).toEqual([303, '?done=renamed'])
      for (const html of [(await browser.get(page)).html, (await browser.get('/account/apps')).html]) {
        expect(html).toContain(name)
        expect(html).toContain('Name that the app registered')
        expect(html).toContain('Registered Agent')
      }
      expect(await names(token)).toEqual([[name, 'Registered Agent']])
      // A further access of the same app has the name too. The consent page shows the registered name, by which others know it.
      const person = personCalled(email)
      const consent = await person.submit(await person.open(agent.authorizationUrl({ scope }).href), /sign-in$/, {
        email,
        password: 'correct horse battery staple',
      })
      expect([consent.html.includes('Registered Agent'), consent.html.includes(name)]).toEqual([true, false])
      await agent.tokens(person, { scope })
      expect((await grants()).map(({ own_name }) => own_name)).toEqual([name, name])
    },
  )

  test('is in the e-mail about what the app did, and in the archive of their data', async () => {
    const { browser, page, token, email } = await connected()
    await rename(browser, page, 'Kitchen tablet')
    const { status } = await fetch(`${service.issuer}/api/v1/account`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(status).toBeLessThan(300)
    const mails = (await service.emails()).filter(({ to, text }) => to === email && text.includes('Kitchen tablet'))
    expect(mails).toHaveLength(1)
  })

  test('is taken back with an empty name', async () => {
    const { browser, page, token, grants } = await connected()
    await rename(browser, page, 'Mine')
    await rename(browser, page, '   ')
    expect((await grants()).map(({ own_name }) => own_name)).toEqual([null])
    expect(await names(token)).toEqual([[null, 'Registered Agent']])
  })

  test.each([
    ['a character that turns the direction', 'evil\u202egnp.exe', 'The name contains U+202E'],
    ['an isolate', 'a\u2066b', 'The name contains U+2066'],
    ['a control character', 'a\u0007b', 'The name contains U+0007'],
    ['a line break', 'a\nb', 'The name contains U+000'],
    ['only invisible characters', '\u200b\u200b', 'The name has no visible character.'],
    ['too many characters', '学'.repeat(61), 'The name can have at most 60 characters.'],
  ])('with %s is refused with the reason at the field, and changes nothing', async (_kind, name, error) => {
    const { browser, page, grants } = await connected()
    const { status, html } = await rename(browser, page, name)
    expect(status).toBe(400)
    expect(html).toContain(error)
    expect(html).toContain('href="#name"')
    expect((await grants()).map(({ own_name }) => own_name)).toEqual([null])
  })

  test('can have 60 characters of any script, and markup stays text', async () => {
    const { browser, page } = await connected()
    expect((await rename(browser, page, '😀'.repeat(60))).status).toBe(303)
    await rename(browser, page, '<img src=x onerror=alert(1)>')
    expect((await browser.get('/account/apps')).html).not.toContain('<img src=x')
  })

  test('is not seen by the school: its owner reads the registered name', async () => {
    const { browser, page, agent } = await connected()
    await rename(browser, page, 'Secret nickname')
    const owner = await connected('owner')
    for (const path of ['/account/school/apps', `/account/school/apps/${agent.clientId}`, '/account/school/audit']) {
      const { status, html } = await owner.browser.get(path)
      expect([path, status, html.includes('Secret nickname')]).toEqual([path, 200, false])
    }
    expect((await owner.browser.get(`/account/school/apps/${agent.clientId}`)).html).toContain('Registered Agent')
  })

  test('is given by its person only, with the form of the page', async () => {
    const [mine, other] = [await connected(), await connected()]
    const form = await other.browser.get(other.page)
    const stolen = { ...form, html: form.html.replaceAll(other.page.slice(-30), mine.page.slice(-30)) }
    expect((await send(other.browser, stolen, { name: 'Taken over' }, /\/rename$/)).status).toBe(404)
    expect((await other.browser.post('/account/apps/rename', { page: other.page.split('/').at(-1) ?? '', name: 'x' })).status).toBe(403)
    expect([...(await mine.grants()), ...(await other.grants())].map(({ own_name }) => own_name)).toEqual([null, null])
  })
})
