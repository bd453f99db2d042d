import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TOTP } from 'otpauth'
import { expect } from 'vitest'
import type { Cli } from '../operate/cli/cli.ts'
import { newPassword, send } from '../pages/account/account.ts'
import { type Browser, createBrowser, field } from '../pages/browser.ts'
import { createAgent, get, personCalled, withToken } from '../support/agent.ts'
import { until } from '../support/poll.ts'
import type { Home, ServiceProcess } from '../support/process.ts'
import { brokenRequests, privateTargets, publicTargets } from './brokenRequests.ts'
import { issueAccountSecrets, issueFileSecrets, issueOperatorSecrets } from './issueOtherSecrets.ts'
import { sendRaw } from './rawHttp.ts'
import type { IssuedSecret } from './secretSpellings.ts'

/** A learner of the demo school. */
export const email = 'learner001@example.org'
const mistyped = 'a mistyped password that is nearly right'
const wrongSecret = 'a client secret that somebody guessed wrong'

/** The e-mails of the service, which saves them to files. */
export async function emailFiles({ data }: Home): Promise<string[]> {
  const folder = join(data, 'outbox')
  const names = (await readdir(folder).catch(() => [])).toSorted()
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
}

const decoded = (text: string): string =>
  text.replaceAll(/=\r?\n/g, '').replaceAll(/=([0-9A-F]{2})/g, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)))

/**
 * Issues one secret of every kind through a running service, and ends those that can end. `secretSources.ts` names the places in the source
 * that create them. `cli` runs commands of the operator.
 */
export async function issueSecrets(
  { issuer, admin }: Pick<ServiceProcess, 'issuer' | 'admin'>,
  { home, cli }: { home: Home; cli: Cli },
): Promise<IssuedSecret[]> {
  const secrets: IssuedSecret[] = []
  const note = (kind: string, value: unknown, hasEnded: boolean): void => {
    expect([kind, value]).toEqual([kind, expect.stringMatching(/.{10,}/)])
    secrets.push({ kind, value: value as string, hasEnded })
  }

  const mailedLink = (to: string): Promise<[string, string]> =>
    until(
      async () => {
        const emails = (await emailFiles(home)).filter((text) => text.includes(`To: ${to}`))
        const [found] = emails.flatMap((text) => [...decoded(text).matchAll(/https?:\/\/\S+?token=([\w-]{20,})/g)])
        return found && [found[0], found[1] ?? '']
      },
      { what: `the link in the e-mail to ${to}` },
    )

  // A new password by a link, after a failed sign-in.
  const browser: Browser = createBrowser(issuer)
  await send(browser, await browser.get('/account/sign-in'), { email, password: mistyped })
  note('mistyped password', mistyped, true)
  await send(browser, await browser.get('/account/password'), { email })
  const [address, token] = await mailedLink(email)
  note('reset link', token, true)
  const chosen = await send(browser, await browser.get(address), { password: newPassword, repeated: newPassword })
  expect(chosen.status).toBeLessThan(400)
  note('password', newPassword, true)

  // A second factor, and a sign-in with a recovery code.
  const own = createBrowser(issuer)
  await send(own, await own.get('/account/sign-in'), { email, password: newPassword })
  note('session cookie', own.cookie('sg_session'), true)
  note('cookie sg_known', own.cookie('sg_known'), false)
  const setUp = await own.get('/account/security/app')
  const secret = (/<output>([A-Z2-7 ]+)<\/output>/.exec(setUp.html)?.[1] ?? '').replaceAll(' ', '')
  note('TOTP secret', secret, false)
  const shown = await send(own, setUp, { code: new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 }).generate() }, /app$/)
  const [used = '', unused = ''] = [...shown.html.matchAll(/<code>([a-z0-9-]{14})<\/code>/g)].map(([, code = '']) => code)
  note('used recovery code', used, true)
  note('unused recovery code', unused, false)

  note('cookie sg_confirmed', own.cookie('sg_confirmed'), false)
  const other = createBrowser(issuer)
  await send(other, await other.get('/account/sign-in'), { email, password: newPassword })
  note('cookie sg_sign_in', other.cookie('sg_sign_in'), false)

  // A calendar at a secret address, which is replaced once.
  const renew = async (): Promise<string> => {
    const page = await own.get('/account/events')
    const done = await own.follow(await own.post('/account/events/calendar/renew', { csrf: field(page.html, 'csrf') }))
    return /\/calendar\/([\w-]{43})\.ics/.exec(done.html)?.[1] ?? ''
  }
  for (const kind of ['replaced calendar address', 'calendar address']) {
    const path = await renew()
    note(kind, path, kind.startsWith('replaced'))
    expect((await fetch(`${issuer}/calendar/${path}.ics`)).status).toBe(200)
  }

  // An app: one grant that is revoked, and one that stays.
  const agent = await createAgent(issuer, { token_endpoint_auth_method: 'client_secret_post' })
  note('client secret', agent.clientSecret, false)
  const person = personCalled(email)
  const first = await person.open(agent.authorizationUrl({ state: 'a state that is a secret of the client' }).href)
  note('id of an interaction', first.url.pathname.split('/').at(-1), true)
  const second = await person.submit(first, /sign-in$/, { email, password: newPassword })
  await person.submit(second, /sign-in$/, { code: used })
  note('PKCE verifier', agent.verifier, true)
  for (const isRevoked of [true, false]) {
    const redirect = await agent.send(person)
    note('authorization code', redirect.searchParams.get('code'), true)
    expect((await agent.redeem(redirect, { client_secret: wrongSecret })).status).toBe(401)
    const tokens = await agent.redeem(redirect)
    note('refresh token that was used', tokens.body.refresh_token, true)
    const next = await agent.refresh(tokens.body.refresh_token)
    for (const name of ['access_token', 'refresh_token', 'id_token'])
      note(`${name}${isRevoked ? ' of a revoked grant' : ''}`, next.body[name], isRevoked || name === 'id_token')
    expect((await withToken(`${issuer}/api/v1/account`, next.body.access_token)).status).toBe(200)
    await get(`${issuer}/oauth/logout?id_token_hint=${next.body.id_token}`, { accept: 'text/html' })
    if (isRevoked) expect((await agent.post('/api/oauth/revoke', { token: next.body.refresh_token })).status).toBe(200)
  }
  note('wrong client secret', wrongSecret, true)
  for (const [key, value] of person.cookies) if (/session/.test(key)) note(`cookie ${key}`, value, false)

  // The private port, with a wrong key.
  const wrongKey = 'a platform key that somebody guessed wrong'
  expect((await fetch(`${admin}/platform/v1/orders`, { headers: { authorization: `Bearer ${wrongKey}` } })).status).toBe(401)
  note('wrong platform key', wrongKey, true)

  // Malformed HTTP with a secret in every part, on both ports.
  const broken = { token: 'a-token-in-malformed-HTTP', cookie: 'sg_session=a-cookie-in-malformed-HTTP' }
  for (const [address, targets] of [
    [issuer, publicTargets],
    [admin, privateTargets],
  ] as const) {
    const requests = targets.flatMap((target) => brokenRequests(address, target, broken))
    await Promise.all(requests.map(({ bytes }) => sendRaw(address, bytes)))
  }
  for (const [kind, value] of Object.entries(broken)) note(`${kind} of a broken request`, value, false)

  const flow = { issuer, note, mailedLink }
  await issueAccountSecrets(flow)
  await issueFileSecrets(flow)
  await issueOperatorSecrets(flow, cli)
  return secrets
}
