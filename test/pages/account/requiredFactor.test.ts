import { TOTP } from 'otpauth'
import { beforeEach, describe, expect, test } from 'vitest'
import { createAgent } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { password, startService } from '../../support/service.ts'
import { type Answer, type Browser, createBrowser } from '../browser.ts'
import { auditOf, isSignedIn, send, signedIn } from './account.ts'

const rule = { second_step: { required_for: ['owner', 'admin'] } }
const service = duringTests(() => startService({ school: rule }))
const agent = duringTests(() => createAgent(service.issuer))
let people = 0

const codeOf = (secret: string, offsetSeconds = 0): string =>
  new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 }).generate({ timestamp: Date.now() + offsetSeconds * 1000 })
const secretOn = ({ html }: Answer): string => (/<output>([A-Z2-7 ]+)<\/output>/.exec(html)?.[1] ?? '').replaceAll(' ', '')
const codesOn = ({ html }: Answer): string[] => [...html.matchAll(/<code>([a-z0-9-]{14})<\/code>/g)].map(([, code = '']) => code)
const heading = ({ html }: Answer): string | undefined => /<h1>([^<]*)<\/h1>/.exec(html)?.[1]

const newPerson = async (role: 'owner' | 'admin' | 'lecturer' | 'learner') => {
  people += 1
  const email = `${role}${people}@example.com`
  return { email, ...(await service.addPerson({ email, role })) }
}
/** Enters the password on the page of an authorization request, or of the account. */
const afterPassword = async (browser: Browser, email: string, start: string): Promise<Answer> =>
  browser.follow(await send(browser, await browser.follow(await browser.get(start)), { email, password }, /sign-in$/))
const submitSetup = async (browser: Browser, page: Answer, code = codeOf(secretOn(page), -30)): Promise<Answer> =>
  browser.follow(await send(browser, page, { code }, /sign-in$/))
/** Signs in on the account pages, with a new authenticator app. */
const enrolled = async (role: 'owner' | 'admin' = 'owner') => {
  const person = await newPerson(role)
  const browser = createBrowser(service.issuer)
  const page = await afterPassword(browser, person.email, '/account/sign-in')
  const shown = await submitSetup(browser, page)
  const done = await browser.follow(await send(browser, shown, {}, /sign-in$/))
  expect(done.url.pathname).toMatch(/^\/account(?:\/school)?$/)
  return { ...person, browser, secret: secretOn(page), codes: codesOn(shown) }
}

describe('an owner without a second factor, at a school that requires one of owners', () => {
  test('signs in from an app, sets up an authenticator app, gets recovery codes, consents, and the app gets tokens', async () => {
    const { email, accountId } = await newPerson('owner')
    const browser = createBrowser(service.issuer)
    const page = await afterPassword(browser, email, agent.authorizationUrl({ scope: 'openid courses:read' }).href)
    expect(heading(page)).toBe('Set up an authenticator app')
    expect(await isSignedIn(browser)).toBe(false)

    const wrong = await browser.follow(await send(browser, page, { code: '000000' }, /sign-in$/))
    expect([wrong.status, secretOn(wrong)]).toEqual([400, secretOn(page)])
    const shown = await submitSetup(browser, wrong)
    expect([heading(shown), new Set(codesOn(shown)).size]).toEqual(['Save your recovery codes', 10])
    expect(await isSignedIn(browser)).toBe(false)
    expect((await auditOf(service, 'authenticator_app.set_up')).map(({ account_id }) => account_id)).toContain(accountId)

    const consent = await browser.follow(await send(browser, shown, {}, /sign-in$/))
    const done = await browser.follow(await send(browser, consent, { scope: 'openid' }, /consent$/))
    const { status, body } = await agent.redeem(done.location as URL)
    expect([status, body.scope]).toEqual([200, 'openid'])
    const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString())
    expect(claims).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: 'https://refeds.org/profile/mfa' })
    expect((await service.emails()).filter(({ to }) => to === email).map(({ subject }) => subject)).toEqual(
      expect.arrayContaining([expect.stringContaining('authenticator app')]),
    )
  })

  test('is asked for the app at the next sign-in, and a recovery code replaces it', async () => {
    const { email, codes } = await enrolled()
    const browser = createBrowser(service.issuer)
    const page = await afterPassword(browser, email, '/account/sign-in')
    expect(heading(page)).toBe('Confirm with your second factor')
    await browser.follow(await send(browser, page, { code: codes[0] ?? '' }, /sign-in$/))
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('signs in on the account pages, and ID tokens of later requests name both factors and their context', async () => {
    const { browser } = await enrolled()
    const consent = await browser.follow(await browser.get(agent.authorizationUrl({ scope: 'openid' }).href))
    const done = await browser.follow(await send(browser, consent, { scope: 'openid' }, /consent$/))
    const { body } = await agent.redeem(done.location as URL)
    const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString())
    expect(claims).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: 'https://refeds.org/profile/mfa' })
  })

  test('cannot skip the page: other pages, the recovery codes, and forms of other steps lead nowhere', async () => {
    const { email } = await newPerson('admin')
    const browser = createBrowser(service.issuer)
    const page = await afterPassword(browser, email, '/account/sign-in')
    for (const path of ['/account', '/account/security', '/account/security/app', '/account/apps', '/account/school', '/account/login']) {
      const { status, location } = await browser.get(path)
      expect([path, status, location?.pathname]).toEqual([path, 303, '/account/sign-in'])
    }
    for (const fields of [{ step: 'second-factor', code: '123456' }, { step: 'consent' }, { step: 'set-up-factor' }, { setup: '' }]) {
      const answer = await browser.follow(await send(browser, page, { code: '', ...fields }, /sign-in$/))
      expect(answer.html).not.toContain('Save your recovery codes')
      expect(await isSignedIn(browser)).toBe(false)
    }
    // The same during an authorization request.
    const other = createBrowser(service.issuer)
    const first = await afterPassword(other, email, agent.authorizationUrl().href)
    const consented = await send(
      other,
      { ...first, html: first.html.replaceAll('/sign-in"', '/consent"') },
      { scope: 'openid' },
      /consent$/,
    )
    expect((await other.follow(consented)).html).toContain('Set up an authenticator app')
  })

  test('sets up the app in one browser: the secret of another browser, or of another person, is not accepted', async () => {
    const [one, two] = [await newPerson('owner'), await newPerson('owner')]
    const [first, second] = [createBrowser(service.issuer), createBrowser(service.issuer)]
    const [page, foreign] = [
      await afterPassword(first, one.email, '/account/sign-in'),
      await afterPassword(second, two.email, '/account/sign-in'),
    ]
    const setup = /name="setup" value="([^"]*)"/.exec(foreign.html)?.[1] ?? ''
    const refused = await send(first, page, { setup, code: codeOf(secretOn(foreign)) }, /sign-in$/)
    expect([refused.status, await isSignedIn(first)]).toEqual([400, false])
  })

  test('does not replace a factor that was set up meanwhile: the password alone is not enough for that', async () => {
    const { email } = await newPerson('owner')
    const [owner, thief] = [createBrowser(service.issuer), createBrowser(service.issuer)]
    const [page, stale] = [await afterPassword(owner, email, '/account/sign-in'), await afterPassword(thief, email, '/account/sign-in')]
    const answers = await Promise.all([submitSetup(owner, page), submitSetup(thief, stale)])
    expect(answers.map((answer) => codesOn(answer).length).toSorted((a, b) => a - b)).toEqual([0, 10])
    const [loser, late] = answers[0] && codesOn(answers[0]).length === 0 ? [owner, page] : [thief, stale]
    expect(codesOn(await submitSetup(loser, late))).toEqual([])
    expect(await isSignedIn(loser)).toBe(false)
  })

  test('finishes only in the browser that set up the app, and not after an operator removed the app', async () => {
    const { email, accountId } = await newPerson('owner')
    const browser = createBrowser(service.issuer)
    const shown = await submitSetup(browser, await afterPassword(browser, email, '/account/sign-in'))
    await service.database.sql.query('DELETE FROM authenticator_app WHERE account_id = $1', [accountId])
    await browser.follow(await send(browser, shown, {}, /sign-in$/))
    expect(await isSignedIn(browser)).toBe(false)
    const other = createBrowser(service.issuer)
    expect((await send(other, shown, {}, /sign-in$/)).status).toBe(403)
  })
})

describe('a person with a required second factor', () => {
  test('cannot remove the last one, also not with forms sent at the same time; with another one they can', async () => {
    const { browser, accountId } = await enrolled()
    const page = await browser.get('/account/security')
    expect(page.html).toContain('you cannot remove the last one')
    expect(page.html).not.toContain('app/remove')
    const form = page.html.replace('recovery-codes"', 'app/remove"')
    const removed = await browser.follow(await send(browser, { ...page, html: form }, {}, /app\/remove/))
    expect(removed.html).toContain('you cannot remove the last one')
    expect((await service.database.sql.query('SELECT 1 FROM authenticator_app WHERE account_id = $1', [accountId])).length).toBe(1)

    const { sql } = service.database
    await sql.query(
      `INSERT INTO passkey (school_id, id, account_id, credential_id, public_key, counter, transports, is_synced, name)
       VALUES ($1, gen_random_uuid(), $2, 'a-credential', 'AA', 0, ARRAY[]::text[], false, 'Key')`,
      [service.schoolId(), accountId],
    )
    const both = await browser.get('/account/security')
    const answers = await Promise.all([/app\/remove/, /passkey\/remove/].map((form) => send(browser, both, {}, form)))
    expect(answers.map(({ location }) => location?.search).filter((search) => search === '?done=last_factor')).toHaveLength(1)
  })

  test('keeps the session after the rule begins only if it was begun with a second factor', async () => {
    await service.reload({ school: { second_step: 'optional' } })
    const { email } = await newPerson('owner')
    const browser = await signedIn(service, email)
    const { browser: strong } = await enrolledByChoice()
    await service.reload({ school: rule })
    expect([await isSignedIn(browser), await isSignedIn(strong)]).toEqual([false, true])
    // The app's request leads to the password again, and then to the set-up.
    const page = await browser.follow(await browser.get(agent.authorizationUrl().href))
    expect(page.html).toContain('type="password"')
    const none = await browser.follow(await browser.get(agent.authorizationUrl({ prompt: 'none' }).href))
    expect(none.location?.searchParams.get('error')).toBe('login_required')
    const next = await browser.follow(await send(browser, page, { email, password }, /sign-in$/))
    expect(heading(next)).toBe('Set up an authenticator app')
  })

  test('is asked from the next page on when the role changes', async () => {
    const { email, personId } = await newPerson('learner')
    const browser = await signedIn(service, email)
    await service.database.sql.query(
      `INSERT INTO staff (school_id, id, person_id, role, status) VALUES ($1, gen_random_uuid(), $2, 'admin', 'active')`,
      [service.schoolId(), personId],
    )
    expect(await isSignedIn(browser)).toBe(false)
  })

  /** An owner who set up an app while it was optional, and signed in with it. */
  const enrolledByChoice = async () => {
    const { email } = await newPerson('owner')
    const setting = await signedIn(service, email)
    const page = await setting.get('/account/security/app')
    const codes = codesOn(await send(setting, page, { code: codeOf(secretOn(page), -30) }, /security\/app$/))
    const browser = createBrowser(service.issuer)
    const second = await afterPassword(browser, email, '/account/sign-in')
    await browser.follow(await send(browser, second, { code: codes[0] ?? '' }, /sign-in$/))
    return { browser }
  }
})

describe('a learner at the same school', () => {
  let browser: Browser
  beforeEach(async () => {
    const { email } = await newPerson('learner')
    browser = await signedIn(service, email)
  })

  test('notices nothing, and removes the only factor', async () => {
    const page = await browser.get('/account/security/app')
    await send(browser, page, { code: codeOf(secretOn(page), -30) }, /security\/app$/)
    const removed = await browser.follow(await send(browser, await browser.get('/account/security'), {}, /app\/remove/))
    expect(removed.html).toContain('The authenticator app has been removed.')
  })
})
