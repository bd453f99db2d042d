// Proves interface: A person decides about forty changes that an app proposes, stops the e-mails, and takes everything back: the school is as before

import * as client from 'openid-client'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { listenForCallback } from '../support/callback.ts'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { changedTables, dumpSchool } from '../support/schoolDump.ts'
import { password, passwordHash, startService } from '../support/service.ts'
import { box, openVisitor, signIn } from './visitor.ts'

const scope = 'openid account:read courses:read courses:write students:read students:write'

/** Tables that record what happened: the requests of the proposal, the access of the app, and sign-ins. */
const bookkeeping = ['account', 'proposal', 'proposal_request']

interface Listed {
  data: { id: string; title: string; status: string }[]
}

describe.skipIf(!hasChromium())('a proposal of forty requests, in Chromium without scripts', () => {
  const visitor = duringTests(() => openVisitor({ javaScriptEnabled: false }))
  const callback = duringTests(listenForCallback)
  const service = duringTests(() => startService({ server: { apps: { outgoing_delay: 300 } } }))

  beforeAll(async () => {
    const [entry] = service.app.schools.all
    if (!entry) throw new Error('the service has no school')
    await makeDemoSchool(service.database, { school: entry.school, now: new Date(), hashPassword: async () => passwordHash })
  })
  afterEach(() => {
    // The browser looks for an icon at the address of the app.
    expect(visitor.complaints().filter((text) => !text.includes('the server responded with a status of 4'))).toEqual([])
  })

  /** An app that uses openid-client as its documentation says, and a person who allows everything that it asks for. */
  async function connect(page: Page) {
    const metadata = { client_name: 'Season Planner', redirect_uris: [callback.redirectUri] }
    const config = await client.dynamicClientRegistration(new URL(service.issuer), metadata, client.None(), {
      execute: [client.allowInsecureRequests],
    })
    const [pkceCodeVerifier, expectedState] = [client.randomPKCECodeVerifier(), client.randomState()]
    const parameters = {
      ...{ redirect_uri: callback.redirectUri, scope, state: expectedState, code_challenge_method: 'S256' },
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    }
    await page.goto(client.buildAuthorizationUrl(config, parameters).href)
    await signIn(page, 'owner@example.com', password)
    for (const name of scope.split(' ').slice(1)) await box(page, name).check()
    await page.getByRole('button', { name: 'Allow selected' }).click()
    const { access_token: token } = await client.authorizationCodeGrant(config, await callback.next(), { pkceCodeVerifier, expectedState })
    return async (method: string, path: string, sent?: object, more: Record<string, string> = {}) => {
      const headers = new Headers({ 'if-match': '*', ...(sent && { 'content-type': 'application/json' }), ...more })
      const address = new URL(`${service.issuer}/api/v1${path}`)
      const response = await client.fetchProtectedResource(config, token, address, method, sent && JSON.stringify(sent), headers)
      const text = await response.text()
      return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
    }
  }

  const dump = () => dumpSchool(service.database.sql, service.schoolId(), { withTraces: false })

  test('is merged in parts, its e-mails are stopped, and what it did is taken back: the school is as before', async () => {
    const { page } = visitor
    const press = (name: string) => page.locator('main').getByRole('button', { name }).first().click()
    const openApp = async (): Promise<void> => {
      await page.goto(`${service.issuer}/account/apps`)
      await page.locator('main a[href^="/account/apps/aut_"]').first().click()
    }
    const call = await connect(page)
    const courses: Listed = (await call('GET', '/courses?limit=100')).body
    const open = courses.data.filter(({ status }) => status === 'published').slice(0, 8)
    expect(open).toHaveLength(8)
    const before = await dump()

    let requests = 0
    const propose = async (method: string, path: string, sent: object): Promise<string> => {
      const { status, body } = await call(method, path, sent, { proposal: 'spring', prefer: 'return=representation' })
      expect([status, body.error_description, body.proposal?.position]).toEqual([method === 'POST' ? 201 : 200, undefined, ++requests])
      return body.id
    }
    const left = await propose('POST', '/courses', { title: 'Left Out' })
    await propose('PATCH', `/courses/${left}`, { subtitle: 'Depends on it' })
    for (const { id } of open) await propose('PATCH', `/courses/${id}`, { subtitle: 'In spring' })
    for (let n = 1; n <= 7; n += 1) {
      const course = await propose('POST', '/courses', { title: `Spring ${n}` })
      await propose('PATCH', `/courses/${course}`, { subtitle: `Part ${n}` })
    }
    for (const [index, { id }] of open.entries()) {
      const student = await propose('POST', '/students', { name: 'Wren', email: `wren${index}@spring.example` })
      await propose('POST', '/enrollments', { student_id: student, course_id: id, notify: true, override: true })
    }
    expect(requests).toBe(40)
    expect(changedTables(before, await dump()).filter((table) => !bookkeeping.includes(table))).toEqual([])

    const submitted = await call('POST', '/account/proposals/spring/submit')
    expect([submitted.status, submitted.body.status]).toEqual([200, 'submitted'])
    await page.goto(submitted.body.url)
    await page.locator('main').getByText('Left Out').first().waitFor()
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/proposal.png`, fullPage: true })
    await page.locator('#request-1').uncheck()
    await press('Make selected changes')
    // The page is shown again, because the second request needs the first one.
    expect(await page.locator('#request-2').isDisabled()).toBe(true)
    expect(changedTables(before, await dump()).filter((table) => !bookkeeping.includes(table))).toEqual([])
    await press('Make selected changes')
    await page.waitForURL('**done=once')
    const states: string[] = (await call('GET', '/account/proposals/spring')).body.requests.map(({ status }: { status: string }) => status)
    expect(states).toEqual([...Array(2).fill('left_out'), ...Array(38).fill('merged')])
    expect((await call('GET', `/courses/${open[0]?.id}`)).body.subtitle).toBe('In spring')
    expect(changedTables(before, await dump())).toEqual(expect.arrayContaining(['course', 'enrollment', 'person']))

    await openApp()
    await page
      .locator('main')
      .getByText(/^8 e-mails leave/)
      .waitFor()
    await press('Stop the e-mails')
    await page.waitForURL('**done=stopped')
    await openApp()
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/app.png`, fullPage: true })
    await page.locator('main a[href^="/account/undo/act_"]:not([href*="/since"])').first().click()
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/undo.png`, fullPage: true })
    await press('Take it back')
    await page.waitForURL('**done=done')

    await service.database.sql.query(`UPDATE outbox SET next_at = now() WHERE state = 'pending'`)
    expect((await service.emails()).filter(({ to }) => to.endsWith('@spring.example'))).toEqual([])
    expect(changedTables(before, await dump()).filter((table) => !bookkeeping.includes(table))).toEqual([])
  })
})
