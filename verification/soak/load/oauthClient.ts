import { setTimeout as delay } from 'node:timers/promises'
import { agentOf, allScopes } from '../../../test/support/agent.ts'
import { createPerson, type Person } from '../../../test/support/person.ts'
import { password } from '../../../test/support/service.ts'
import type { Monitor } from '../monitor.ts'
import { NotServed, type Sender, type Sending, type Sent, Unexpected } from '../send.ts'

export interface OAuthClient {
  clientId: string
  /** Sends a form to an endpoint of OAuth as this client, until it is answered. */
  post(path: string, form: Record<string, string>, expected: readonly number[]): Promise<Sent & { tries: number }>
  /** Signs a person in and consents to every scope, and begins again until there is a code. */
  authorize(person: Person): Promise<{ code: string; since: number }>
  /** Redeems a code. */
  redeem(code: string, parameters?: Record<string, string>): Promise<Sent & { tries: number }>
}

const redirectUri = 'http://127.0.0.1:53682/callback'

/** Registers a client, and returns its id. */
export async function register({ insist }: Sender): Promise<string> {
  const json = { client_name: 'Soak', redirect_uris: [redirectUri], scope: allScopes }
  const { json: body } = await insist({ target: 'POST /api/oauth/register', path: '/api/oauth/register', json, expected: [201] })
  return String(body.client_id)
}

export function oauthClient(clientId: string, sender: Sender, { monitor, issuer }: { monitor: Monitor; issuer: string }): OAuthClient {
  const agent = agentOf(issuer, clientId, undefined, redirectUri)
  const form = (path: string, fields: Record<string, string>, expected: readonly number[]): Sending => ({
    ...{ target: `POST ${path}`, path, form: { client_id: clientId, ...fields }, expected },
  })
  return {
    clientId,
    post: (path, fields, expected) => sender.insist(form(path, fields, expected)),
    async authorize(person) {
      for (;;) {
        const since = performance.now()
        try {
          const redirect = await agent.send(person, { scope: allScopes, prompt: 'consent' }, { scopes: 'all' })
          const code = redirect.searchParams.get('code')
          if (code) return { code, since }
          // RFC 6749 section 4.1.2.1: a store failed on the way.
          const isRefused = redirect.searchParams.get('error') === 'temporarily_unavailable'
          if (isRefused && monitor.wasDisturbed(since)) throw new NotServed('temporarily_unavailable')
          monitor.report(`authorization: ${redirect.searchParams.get('error')} instead of a code`, redirect.search)
          throw new Unexpected('no code')
        } catch (error) {
          if (error instanceof Unexpected) throw error
          // A sign-in whose parts may have been lost with Redis starts again.
          if (error instanceof NotServed || monitor.mayHaveLost(since) || monitor.wasDisturbed(since)) {
            person.cookies.clear()
            await delay(300)
            continue
          }
          monitor.report('authorization: another page than expected', String(error).slice(0, 400))
          throw new Unexpected(String(error))
        }
      }
    },
    redeem: (code, parameters) =>
      sender.insist(
        form(
          '/api/oauth/token',
          { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: agent.verifier, ...parameters },
          [200, 400],
        ),
      ),
  }
}

/** A person whose browser sends its requests through the sender, so that they are judged. */
export function watchedPerson(email: string, { send }: Sender): Person {
  return createPerson({
    email,
    password,
    async fetch(url, init) {
      const headers = Object.fromEntries(new Headers(init.headers))
      const form = init.body instanceof URLSearchParams ? init.body.toString() : undefined
      const sent = await send({
        target: 'page',
        path: url.href,
        headers: { ...headers, ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }) },
        ...(init.method && { method: init.method }),
        ...(form !== undefined && { bytes: Buffer.from(form) }),
        expected: [200, 302, 303, 400, 401, 403],
      })
      const received = new Headers()
      for (const [name, value] of Object.entries(sent.headers)) for (const one of [value ?? ''].flat()) received.append(name, one)
      return new Response(sent.status === 204 ? null : sent.text, { status: sent.status, headers: received })
    },
  })
}
