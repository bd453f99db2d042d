import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentOf, postJson } from '../support/agent.ts'
import { type Callback, listenForCallback } from '../support/callback.ts'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { password, startService } from '../support/service.ts'
import { openVisitor, signIn } from './visitor.ts'

const run = 'window.name="executed"'

/** Inputs of attackers that try to run: each would set a mark in the window. */
const corpus = [
  `<script>${run}</script>`,
  `"><img src=x onerror='${run}'>`,
  `'><svg onload='${run}'>`,
  `</title></textarea></select></bdi><iframe srcdoc="<script>parent.${run}</script>">`,
  `javascript:${run}`,
  `" autofocus onfocus='${run}' x="`,
  `<base href="https://evil.example/"><link rel=stylesheet href=https://evil.example/x.css>`,
  `<meta http-equiv=refresh content="0;url=javascript:${run}">`,
  `</style><style>*{background:url(https://evil.example/x)}</style>`,
  `<a href="data:text/html,<script>${run}</script>" id=location>x</a>`,
]

describe.skipIf(!hasChromium())('whatever a stranger sends, nothing of it runs in Chromium', () => {
  const service = duringTests(() => startService({ isLimited: false }))
  let callback: Callback
  const visitor = duringTests(() => openVisitor())
  let seen: string[]

  beforeAll(async () => {
    const { accountId } = await service.addPerson({ email: 'learner@example.org' })
    await service.database.sql.query('UPDATE account SET name = $2 WHERE id = $1', [accountId, corpus[1]])
    callback = await listenForCallback()
    seen = []
    visitor.page.on('dialog', (dialog) => void dialog.dismiss())
  })
  afterAll(() => callback?.close())

  /** Checks that no injected script ran, the policy blocked no request, and no other host received a request. */
  async function look(): Promise<void> {
    const { page } = visitor
    seen.push(new URL(page.url()).pathname)
    expect(await page.evaluate('window.name')).toBe('')
    expect(
      visitor
        .complaints()
        .filter((text) => /securitypolicyviolation|issue:|error: /.test(text) && !text.includes('Failed to load resource')),
    ).toEqual([])
    expect(visitor.origins().filter((origin) => ![service.issuer, new URL(callback.redirectUri).origin].includes(origin))).toEqual([])
    expect(
      await page
        .locator(
          'script:not([src^="/assets/pages.js?v="], [type="application/ld+json"]), iframe, object, embed, base, [onload], [onerror], [onfocus], [autofocus][x]',
        )
        .count(),
    ).toBe(0)
  }

  test('running scripts are detected: a page with the same content and without a policy', async () => {
    const { page, close } = await openVisitor()
    await page.setContent(corpus[1] as string)
    await until(async () => (await page.evaluate('window.name')) === 'executed', { what: 'the mark of a script' })
    await close()
  })

  test.each(corpus)('in the metadata of a client: %s', async (text) => {
    const { page } = visitor
    const metadata = {
      client_name: text,
      client_uri: text,
      tos_uri: text,
      policy_uri: text,
      logo_uri: text,
      redirect_uris: [callback.redirectUri],
    }
    const { body } = await postJson(`${service.issuer}/api/oauth/register`, metadata)
    // A rejected registration never reaches a page: then only the name is tried.
    const clientId =
      body.client_id ??
      (await postJson(`${service.issuer}/api/oauth/register`, { client_name: text, redirect_uris: [callback.redirectUri] })).body.client_id
    expect(clientId).toBeDefined()
    const agent = agentOf(service.issuer, clientId, undefined, callback.redirectUri)
    await page.context().clearCookies()
    await page.goto(agent.authorizationUrl({ scope: 'openid courses:read', state: text, login_hint: text, ui_locales: text }).href)
    await look()
    await signIn(page, 'learner@example.org', password)
    await look()
    await page.getByRole('button', { name: 'Allow selected' }).click()
    await page.waitForURL(`${callback.redirectUri}?**`)
    expect((await callback.next()).searchParams.get('state')).toBe(text)
    await page.goto(`${service.issuer}/account/apps`)
    await look()
  })

  test.each(corpus)('in what an address says: %s', async (text) => {
    const { page } = visitor
    const query = encodeURIComponent(text)
    for (const path of [
      `/oauth/authorize?client_id=${query}&redirect_uri=${query}&state=${query}&response_type=${query}&scope=${query}`,
      `/oauth/authorize?request=${query}&error_description=${query}`,
      `/oauth/interaction/${query}`,
      `/oauth/logout?post_logout_redirect_uri=${query}&client_id=${query}&state=${query}&id_token_hint=${query}`,
      `/account/sign-in?return_to=${query}&lang=${query}`,
      `/account/sign-up/finish?token=${query}`,
      `/account/password/new?token=${query}`,
      `/account/email?token=${query}`,
      `/docs?url=${query}#${query}`,
      `/${query}`,
    ]) {
      await page.goto(service.issuer + path)
      // The API reference renders itself with its own scripts.
      if (path.startsWith('/docs')) expect(await page.evaluate('window.name')).toBe('')
      else await look()
    }
    expect(seen.length).toBeGreaterThan(9)
  })
})
