// Proves OpenID Connect Core sections 2, 3.1.2.1: `acr`, `amr`, `auth_time`, `max_age`, `prompt=login`, `prompt=none` and `acr_values` hold with openid-client, with password, code and passkey
// Proves OpenID Connect Core section 5.5.1.1: An essential `acr` that the person cannot reach fails the request, and nobody is signed in
// Proves OpenID Connect Core section 5.5: `claims` gives no claim that the allowed scopes do not give

import * as client from 'openid-client'
import { TOTP } from 'otpauth'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { send, signedIn } from '../pages/account/account.ts'
import { type Answer, type Browser, createBrowser } from '../pages/browser.ts'
import { password, startService, type TestService } from '../support/service.ts'

const mfa = 'https://refeds.org/profile/mfa'
const redirectUri = 'http://127.0.0.1:53682/callback'
let service: TestService
let config: client.Configuration
/** Somebody with a password alone, and somebody with an authenticator app and recovery codes. */
const plain = 'plain@example.com'
const strong = 'strong@example.com'
let codes: string[]
beforeAll(async () => {
  service = await startService()
  for (const email of [plain, strong]) await service.addPerson({ email })
  const browser = await signedIn(service, strong)
  const page = await browser.get('/account/security/app')
  const secret = (/<output>([A-Z2-7 ]+)<\/output>/.exec(page.html)?.[1] ?? '').replaceAll(' ', '')
  const shown = await send(browser, page, { code: new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 }).generate() }, /app$/)
  codes = [...shown.html.matchAll(/<code>([a-z0-9-]{14})<\/code>/g)].map(([, code = '']) => code)
  const metadata = { client_name: 'openid-client', redirect_uris: [redirectUri] }
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks]
  config = await client.dynamicClientRegistration(new URL(service.issuer), metadata, undefined, { execute })
})
afterAll(() => service.stop())
afterEach(() => vi.useRealTimers())

/** A page that the person completes. */
type StepUpOptions = 'password' | 'code' | 'consent'

const answers: Record<StepUpOptions, (email: string) => Record<string, string>> = {
  password: (email) => ({ email, password }),
  // Recovery codes, because a code of the app counts once in 30 seconds.
  code: () => ({ code: codes.pop() ?? '' }),
  consent: () => ({ scope: 'openid' }),
}

interface Result {
  asked: StepUpOptions[]
  claims: client.IDToken | undefined
  error: string | undefined
}

/** Sends a person through an authorization request, and redeems the code with the checks of the library. */
async function authorize(browser: Browser, email: string, parameters: Record<string, string> = {}): Promise<Result> {
  const verifier = client.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid',
    ...{ state: expectedState, nonce: expectedNonce },
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  const asked: StepUpOptions[] = []
  let page: Answer = await browser.follow(await browser.get(url.href))
  while (!page.location && asked.length < 5) {
    const step: StepUpOptions = page.html.includes('type="password"') ? 'password' : page.html.includes('name="code"') ? 'code' : 'consent'
    asked.push(step)
    page = await browser.follow(await send(browser, page, answers[step](email), step === 'consent' ? /consent$/ : /sign-in$/))
  }
  const arrived = page.location
  if (!arrived) throw new Error(`no redirect after ${asked}: ${page.status} ${page.html.slice(0, 2000)}`)
  const error = arrived.searchParams.get('error') ?? undefined
  if (error !== undefined) return { asked, claims: undefined, error }
  const maxAge = parameters.max_age === undefined ? {} : { maxAge: Number(parameters.max_age) }
  const checks = { pkceCodeVerifier: verifier, expectedState, expectedNonce, idTokenExpected: true, ...maxAge }
  const tokens = await client.authorizationCodeGrant(config, arrived, checks)
  return { asked, claims: tokens.claims(), error }
}

const essential = (...values: string[]): { claims: string } => ({
  claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
})
const afterPlain = async (): Promise<Browser> => signedIn(service, plain)
/** A browser of the person with the app, whose session has the password alone: from before the app was set up. */
const weakSession = async (): Promise<Browser> => {
  await service.reload({ school: { second_step: 'off' } })
  try {
    return await signedIn(service, strong)
  } finally {
    await service.reload({ school: {} })
  }
}

test('the metadata names the contexts that people can reach at the school, and the parameter claims', async () => {
  expect(config.serverMetadata()).toMatchObject({ acr_values_supported: [mfa], claims_parameter_supported: true })
  expect(config.serverMetadata().claims_supported).toContain('acr')
})

describe('an ID token', () => {
  test('after the password alone has amr and auth_time, and no acr', async () => {
    const { asked, claims } = await authorize(createBrowser(service.issuer), plain)
    expect(asked).toEqual(['password', 'consent'])
    expect(claims).toMatchObject({ amr: ['pwd'], auth_time: expect.any(Number) })
    expect(claims).not.toHaveProperty('acr')
  })

  test('after password and code has acr of multi-factor authentication, also in tokens of later requests and of a refresh', async () => {
    const browser = createBrowser(service.issuer)
    const first = await authorize(browser, strong)
    expect([first.asked, first.claims?.amr, first.claims?.acr]).toEqual([['password', 'code', 'consent'], ['pwd', 'otp', 'mfa'], mfa])
    const second = await authorize(browser, strong)
    expect([second.asked, second.claims?.acr, second.claims?.auth_time]).toEqual([['consent'], mfa, first.claims?.auth_time])
  })
})

describe('prompt and max_age', () => {
  test('prompt=login asks for every factor again, and auth_time is the new one', async () => {
    const browser = createBrowser(service.issuer)
    const first = await authorize(browser, strong)
    const again = await authorize(browser, strong, { prompt: 'login' })
    expect(again.asked).toEqual(['password', 'code', 'consent'])
    expect(Number(again.claims?.auth_time)).toBeGreaterThanOrEqual(Number(first.claims?.auth_time))
  })

  test('max_age=0 asks again; max_age asks again only if the session is older', async () => {
    const browser = await afterPlain()
    expect((await authorize(browser, plain, { max_age: '0' })).asked).toEqual(['password', 'consent'])
    expect((await authorize(browser, plain, { max_age: '600' })).asked).toEqual(['consent'])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 660_000 })
    const page = await browser.follow(await browser.get(authorizeUrl({ max_age: '600' })))
    expect(page.html).toContain('type="password"')
    const silent = await browser.follow(await browser.get(authorizeUrl({ max_age: '600', prompt: 'none' })))
    expect(silent.location?.searchParams.get('error')).toBe('login_required')
  })

  test('prompt=none without a session is login_required, also with acr_values', async () => {
    for (const parameters of [{}, { acr_values: mfa }, essential(mfa)])
      expect((await authorize(createBrowser(service.issuer), plain, { prompt: 'none', ...parameters })).error).toBe('login_required')
  })

  const authorizeUrl = (parameters: Record<string, string>): string =>
    client.buildAuthorizationUrl(config, {
      ...{ redirect_uri: redirectUri, scope: 'openid', code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' },
      ...parameters,
    }).href
})

describe('acr_values', () => {
  test('lead a person who is signed in with the password to the second factor alone', async () => {
    const browser = await weakSession()
    const { asked, claims } = await authorize(browser, strong, { acr_values: `phr ${mfa}` })
    expect([asked, claims?.acr, claims?.amr]).toEqual([['code', 'consent'], mfa, ['pwd', 'otp', 'mfa']])
    expect((await authorize(browser, strong, { acr_values: mfa })).asked).toEqual(['consent'])
  })

  test('are voluntary: a person without a second factor signs in, and the token claims no context', async () => {
    const browser = await afterPlain()
    const { asked, claims } = await authorize(browser, plain, { acr_values: `${mfa} phr urn:example:unknown` })
    expect(asked).toEqual(['consent'])
    expect(claims).not.toHaveProperty('acr')
  })

  test('do not fail a silent request', async () => {
    const browser = await weakSession()
    expect((await authorize(browser, strong, { acr_values: mfa, prompt: 'none' })).error).toBe('interaction_required')
  })
})

describe('an essential acr', () => {
  test('leads to the second factor, and a silent request is login_required', async () => {
    const browser = await weakSession()
    expect((await authorize(browser, strong, { ...essential(mfa), prompt: 'none' })).error).toBe('login_required')
    const { asked, claims } = await authorize(browser, strong, essential(mfa))
    expect([asked, claims?.acr]).toEqual([['code', 'consent'], mfa])
  })

  test('takes precedence over acr_values, and accepts value in place of values', async () => {
    const claims = JSON.stringify({ id_token: { acr: { essential: true, value: mfa } } })
    const result = await authorize(await afterPlain(), plain, { claims, acr_values: 'anything' })
    expect(result.error).toBe('unmet_authentication_requirements')
  })

  test.each([
    ['the person has no second factor', plain, mfa, ['password'] as StepUpOptions[]],
    ['the school offers no passkeys', strong, 'phr', ['code']],
    ['nobody knows it', plain, 'urn:example:unknown', ['password']],
  ])(
    'is unmet_authentication_requirements if %s, which the app learns only after a form of the person',
    async (_name, email, value, asked) => {
      const browser = email === plain ? await afterPlain() : await weakSession()
      expect(await authorize(browser, email, essential(value))).toEqual({
        asked,
        claims: undefined,
        error: 'unmet_authentication_requirements',
      })
    },
  )

  test('is the same error after the password, and the person is not signed in', async () => {
    const browser = createBrowser(service.issuer)
    const { asked, error } = await authorize(browser, plain, essential(mfa))
    expect([asked, error]).toEqual([['password'], 'unmet_authentication_requirements'])
    expect((await browser.get('/account')).location?.pathname).toBe('/account/sign-in')
  })

  test('is not met by a session whose second factor was removed since the sign-in', async () => {
    const email = 'former@example.com'
    const { accountId } = await service.addPerson({ email })
    const browser = await signedIn(service, email)
    const { sql } = service.database
    await sql.query('INSERT INTO authenticator_app (school_id, account_id, secret, last_step) VALUES ($1, $2, $3, 0)', [
      service.schoolId(),
      accountId,
      'sealed',
    ])
    await sql.query('DELETE FROM authenticator_app WHERE account_id = $1', [accountId])
    expect((await authorize(browser, email, essential(mfa))).error).toBe('unmet_authentication_requirements')
  })
})

describe('the parameter claims', () => {
  test.each([
    ['not JSON', 'nothing'],
    ['a list', '[]'],
    ['acr as a text', '{"id_token":{"acr":"mfa"}}'],
    ['values in another form than a list', '{"id_token":{"acr":{"essential":true,"values":"x"}}}'],
    ['values in another form than texts', '{"id_token":{"acr":{"essential":true,"values":[{}]}}}'],
  ])('is invalid_request with %s', async (_name, claims) => {
    expect((await authorize(await afterPlain(), plain, { claims })).error).toBe('invalid_request')
  })

  test('gives no claim that the scopes do not give, and an empty list of contexts demands nothing', async () => {
    const claims = JSON.stringify({
      id_token: { email: { essential: true }, name: null, acr: { essential: true, values: [] } },
      userinfo: { email: { essential: true } },
    })
    const result = await authorize(await afterPlain(), plain, { claims })
    expect(result.asked).toEqual(['consent'])
    expect(Object.keys(result.claims ?? {}).toSorted()).toEqual(['amr', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'nonce', 'sub'])
  })
})

test('a school that turned second factors off claims no context, also not of sessions from before', async () => {
  const browser = createBrowser(service.issuer)
  expect((await authorize(browser, strong)).claims?.acr).toBe(mfa)
  await service.reload({ school: { second_step: 'off' } })
  try {
    expect((await authorize(browser, strong)).claims).not.toHaveProperty('acr')
    expect((await authorize(browser, strong, essential(mfa))).error).toBe('unmet_authentication_requirements')
  } finally {
    await service.reload({ school: {} })
  }
})
