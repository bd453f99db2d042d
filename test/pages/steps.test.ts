// Proves RFC 8176: `amr` contains the methods of the completed steps; an account that is disabled between two steps is not signed in

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountPaths } from '../../src/base/accountPaths.ts'
import type { SignInStep } from '../../src/pages/steps/signInStep.ts'
import { isSignedIn, send } from './account/account.ts'
import { type Answer, type Browser, createBrowser, field } from './browser.ts'
import { password, redirectUri, startService, type TestService } from './service.ts'

/** Accounts that have accepted the rules, and accounts that need a code. */
const accepted = new Set<string>()
const withCode = new Set<string>()
let codes = 0

/** A step that is shown until the account has accepted the rules. */
const rulesStep: SignInStep = {
  name: 'rules',
  prompt: 'login',
  isNeeded: ({ account }) => account !== undefined && !accepted.has(account.accountId),
  page: async () => ({
    form: {
      title: 'Rules',
      heading: 'Accept the rules of the school',
      introduction: [{ text: 'Be kind.', isolated: false }],
      fields: [],
      boxes: [{ name: 'accept', label: 'I accept the rules' }],
      submit: 'Continue',
    },
  }),
  async answer({ account }, form) {
    if (form.get('accept') !== 'yes' || !account) return { kind: 'repeat', status: 400, error: { key: 'sign_in.failed' } }
    accepted.add(account.accountId)
    return { kind: 'done' }
  },
}

/** A step whose form is checked against the state of its page: a second factor of some accounts. */
const codeStep: SignInStep = {
  name: 'code',
  prompt: 'login',
  amr: ['otp'],
  isNeeded: ({ account }) => account !== undefined && withCode.has(account.accountId),
  async page({ state = `code ${++codes}` }) {
    const code = { name: 'code', type: 'text', label: 'Code', autocomplete: 'one-time-code', value: '', maxLength: 20 } as const
    const fields = [{ ...code, isReadOnly: false, isInvalid: false, hint: '', error: '', describedBy: '' }]
    return { form: { title: 'Code', heading: 'Enter the code', introduction: [], fields, submit: 'Continue' }, state }
  },
  async answer({ state }, form) {
    return form.get('code') === state ? { kind: 'done' } : { kind: 'repeat', status: 400, error: { key: 'sign_in.failed' } }
  },
}

let service: TestService
let person: { accountId: string; subject: string }
const email = 'wren@example.org'
beforeAll(async () => {
  service = await startService([rulesStep, codeStep])
  person = await service.addPerson(email, 'owner')
  await service.addPerson('marlo@example.com', 'owner')
  service.addClient({ client_id: 'app', client_name: 'Tidy Agent' })
}, 30_000)
afterAll(() => service.close())
beforeEach(() => {
  accepted.clear()
  withCode.clear()
})

const enter = async (browser: Browser, page: Answer, fields: Record<string, string>): Promise<Answer> =>
  browser.follow(await send(browser, page, fields))

/** Each place of a sign-in: how it begins, and how a browser that is signed in is recognised. */
const places = [
  {
    name: 'an authorization',
    start: async (browser: Browser) => browser.follow(await browser.get(service.authorizeUrl())),
    isDone: async (_browser: Browser, page: Answer) => page.html.includes('Signed in as'),
  },
  {
    name: 'the account pages',
    start: (browser: Browser) => browser.get(accountPaths.signIn),
    isDone: (browser: Browser) => isSignedIn(browser),
  },
]

describe.each(places)('the steps of $name', ({ start, isDone }) => {
  const atRules = async (): Promise<{ browser: Browser; page: Answer }> => {
    const browser = createBrowser(service.base)
    return { browser, page: await enter(browser, await start(browser), { email, password }) }
  }

  test('include a step that is in the list alone, and finish after it', async () => {
    const { browser, page } = await atRules()
    expect([page.status, page.html.includes('Accept the rules of the school')]).toEqual([200, true])
    const again = await enter(browser, page, {})
    expect([again.status, again.html.includes('Accept the rules of the school')]).toEqual([400, true])
    expect(await isDone(browser, await enter(browser, page, { accept: 'yes' }))).toBe(true)
    expect(service.sessions().at(-1)?.amr).toEqual(['pwd'])
  })

  test('leave out a step that the account does not need', async () => {
    accepted.add(person.accountId)
    const { browser, page } = await atRules()
    expect(await isDone(browser, page)).toBe(true)
  })

  test('keep the state of a step between its page and its answer, and collect the methods of all of them (RFC 8176)', async () => {
    withCode.add(person.accountId)
    const { browser, page } = await atRules()
    const codePage = await enter(browser, page, { accept: 'yes' })
    const code = `code ${codes}`
    expect(codePage.html).toContain('Enter the code')
    const wrong = await enter(browser, codePage, { code: 'code 0' })
    expect([wrong.status, `code ${codes}`]).toEqual([400, code])
    expect((await browser.get(codePage.url.href)).html).toContain('Enter the code')
    expect(await isDone(browser, await enter(browser, wrong, { code }))).toBe(true)
    expect(service.sessions().at(-1)?.amr).toEqual(['pwd', 'otp'])
  })

  test('sign the person in only after all of them are completed', async () => {
    const { browser, page } = await atRules()
    expect(await isSignedIn(browser)).toBe(false)
    const skipped = await browser.post(page.url.pathname, { csrf: field(page.html, 'csrf'), step: 'consent' })
    expect([303, 404, 405]).toContain(skipped.status)
    const other = createBrowser(service.base)
    const fresh = await start(other)
    const stolen = await send(other, fresh, { step: 'rules', accept: 'yes' })
    expect(stolen.status).toBe(303)
    expect((await other.follow(stolen)).html).toContain('type="password"')
    expect(await isSignedIn(other)).toBe(false)
  })

  test('start again with the form of an earlier step, and with another account', async () => {
    const browser = createBrowser(service.base)
    const first = await start(browser)
    const rules = await enter(browser, first, { email, password })
    const another = /href="([^"]*account=other[^"]*)"/.exec(rules.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await browser.get(another)).html).toContain('type="password"')
    const marlo = await enter(browser, first, { email: 'marlo@example.com', password })
    const done = await enter(browser, marlo, { accept: 'yes' })
    expect(await isDone(browser, done)).toBe(true)
    expect((await browser.get(accountPaths.apps)).html).toContain('marlo@example.com')
  })

  test('start again if the account is disabled between two steps', async () => {
    const { browser, page } = await atRules()
    const change = service.database.kysely.updateTable('account').where('id', '=', person.accountId)
    await change.set({ disabled_at: new Date() }).execute()
    try {
      const answer = await enter(browser, page, { accept: 'yes' })
      expect(answer.html).toContain('type="password"')
      expect(await isSignedIn(browser)).toBe(false)
    } finally {
      await change.set({ disabled_at: null }).execute()
    }
  })
})

test('a switch of accounts at the consent page runs every step, and the way back leaves the first account signed in', async () => {
  accepted.add(person.accountId)
  const browser = createBrowser(service.base)
  const consent = await enter(browser, await browser.follow(await browser.get(service.authorizeUrl())), { email, password })
  const other = await browser.get(`${consent.url.pathname}?account=other`)
  const rules = await enter(browser, other, { email: 'marlo@example.com', password })
  expect(rules.html).toContain('Accept the rules of the school')
  const back = await browser.get(consent.url.pathname)
  expect(back.html).toContain(email)
  const switched = await enter(browser, rules, { accept: 'yes' })
  expect(switched.html).toContain('marlo@example.com')
  const answer = await browser.follow(
    await browser.post(`${switched.url.pathname}/consent`, { csrf: field(switched.html, 'csrf'), scope: ['openid'] }),
  )
  expect(answer.location?.href).toContain(`${redirectUri}?code=`)
})

test('the progress of the account pages is an encrypted cookie of one school that ends after ten minutes', async () => {
  const browser = createBrowser(service.base)
  const answer = await send(browser, await browser.get(accountPaths.signIn), { email, password })
  const [line = ''] = answer.headers.getSetCookie().filter((cookie) => cookie.startsWith('sg_sign_in='))
  expect(line).toMatch(/^sg_sign_in=[\w-]+=[\w-]{8}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
  expect(line).not.toContain(person.accountId)
  browser.plant('sg_sign_in', String(browser.cookie('sg_sign_in')).replace(/.{4}(?==)/, 'AAAA'))
  expect((await browser.get(accountPaths.signIn)).html).toContain('type="password"')
})
