import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Cli } from '../operate/cli/cli.ts'
import { send } from '../pages/account/account.ts'
import { createBrowser, field } from '../pages/browser.ts'
import { createAgent, get, personCalled, postJson } from '../support/agent.ts'
import { password } from '../support/service.ts'

/** Adds a secret to those that are searched for. */
export type NoteSecret = (kind: string, value: unknown, hasEnded: boolean) => void

export interface SecretFlow {
  issuer: string
  note: NoteSecret
  /** Returns the link in the e-mail to an address, and its token. */
  mailedLink(to: string): Promise<[link: string, token: string]>
}

const [newcomer, moved, chosen] = ['newcomer@example.org', 'moved@example.org', 'seven herons under the copper mill']

/** Signs a person up, changes the address, and begins to add a passkey. */
export async function issueAccountSecrets({ issuer, note, mailedLink }: SecretFlow): Promise<void> {
  const browser = createBrowser(issuer)
  const name = 'Wren Applegarth'
  expect((await send(browser, await browser.get('/account/sign-up'), { email: newcomer, name })).status).toBe(200)
  const [signUp, signUpToken] = await mailedLink(newcomer)
  note('sign-up link', signUpToken, true)
  expect((await send(browser, await browser.get(signUp), { password: chosen, repeated: chosen })).status).toBeLessThan(400)
  note('password of a sign-up', chosen, true)
  note('cookie sg_browser', browser.cookie('sg_browser'), false)

  const agent = await createAgent(issuer)
  const scope = 'openid account:read account:write'
  const { body } = await agent.tokens(personCalled(newcomer), { scope }, { scopes: 'all', password: chosen })
  const headers = { authorization: `Bearer ${body.access_token}` }
  expect((await postJson(`${issuer}/api/v1/account/email`, { email: moved }, headers)).status).toBe(202)
  const [change, changeToken] = await mailedLink(moved)
  note('e-mail change link', changeToken, true)
  const confirm = await browser.get(change)
  note('form token', field(confirm.html, 'csrf'), false)
  expect((await send(browser, confirm)).html).toContain('has been changed')

  const passkey = await browser.get('/account/security/passkey')
  note('passkey challenge', /challenge(?:"|&#34;|&quot;):(?:"|&#34;|&quot;)([\w-]{20,})/.exec(passkey.html)?.[1], false)
}

/** Uploads a file, and downloads one of a product. */
export async function issueFileSecrets({ issuer, note }: SecretFlow): Promise<void> {
  const agent = await createAgent(issuer)
  const { body } = await agent.tokens(
    personCalled('owner@example.com'),
    { scope: 'storage:write digital_products:read' },
    { scopes: 'all', password },
  )
  const headers = { authorization: `Bearer ${body.access_token}` }
  const bytes = `WEBVTT\n\n00:00.000 --> 00:01.000\n${randomUUID()}\n`
  const announced = { filename: 'a.vtt', content_type: 'text/vtt', purpose: 'captions', byte_size: bytes.length }
  const { status, body: created } = await postJson(`${issuer}/api/v1/storage/uploads`, announced, headers)
  expect([status, created]).toEqual([201, expect.objectContaining({ upload: expect.anything() })])
  const signatureOf = (url: string): string | null => new URL(url).searchParams.get('signature')
  note('upload URL', signatureOf(created.upload.url), true)
  const put = await fetch(created.upload.url, { method: 'PUT', body: bytes, headers: created.upload.headers })
  expect(put.status).toBeLessThan(300)

  const products = `${issuer}/api/v1/digital_products`
  const [{ id } = { id: '' }] = (await get(products, headers)).body.data
  const [{ download_url: url } = { download_url: '' }] = (await get(`${products}/${id}`, headers)).body.files
  expect((await fetch(url)).status).toBe(200)
  note('download URL', signatureOf(url), false)
}

/** Adds an integration, and replaces its secret. */
export async function issueOperatorSecrets({ note }: SecretFlow, cli: Cli): Promise<void> {
  const added = await cli(['integrations', 'add', '--name', 'Sync', '--redirect-uri', 'https://sync.example.com/callback', '--json'])
  expect(added, added.err).toMatchObject({ exitCode: 0 })
  const { client_id: id, client_secret: secret } = added.json()
  note('secret of an integration', secret, false)
  const rotated = await cli(['integrations', 'rotate-secret', id, '--json'])
  expect(rotated, rotated.err).toMatchObject({ exitCode: 0 })
  note('replaced secret of an integration', rotated.json().client_secret, false)
}
