import { people } from '../installation.ts'
import type { Monitor } from '../monitor.ts'
import type { Sender } from '../send.ts'
import { type OAuthClient, oauthClient, register, watchedPerson } from './oauthClient.ts'

interface Tokens {
  access: string
  refresh: string
  since: number
}

/** The tokens of those who use the API for the whole run. */
export interface Callers {
  roles: readonly string[]
  token(role: string): Tokens
  /** Replaces a token that was rejected. Reports a problem, unless Redis may have lost it. */
  renew(role: string, rejected: string): Promise<void>
}

const emails: Readonly<Record<string, string>> = { owner: people.owner, learner: people.learners[0] ?? '' }

export async function createCallers(sender: Sender, watched: { monitor: Monitor; issuer: string }): Promise<Callers> {
  const { monitor } = watched
  const client: OAuthClient = oauthClient(await register(sender), sender, watched)
  const tokens = new Map<string, Tokens>()
  const renewals = new Map<string, Promise<void>>()
  for (const [role, email] of Object.entries(emails)) {
    const { code } = await client.authorize(watchedPerson(email, sender))
    const { json } = await client.redeem(code)
    if (!json.access_token) throw new Error(`no token for ${role}: ${JSON.stringify(json)}`)
    tokens.set(role, { access: json.access_token, refresh: json.refresh_token, since: performance.now() })
  }
  const token = (role: string): Tokens => {
    const found = tokens.get(role)
    if (!found) throw new Error(`no caller ${role}`)
    return found
  }

  async function refresh(role: string, rejected: string): Promise<void> {
    const current = token(role)
    if (current.access !== rejected) return
    if (!monitor.mayHaveLost(current.since)) monitor.report(`lost: the access token of the ${role} is valid and is not accepted`)
    const form = { grant_type: 'refresh_token', refresh_token: current.refresh }
    const { status, json, text } = await client.post('/api/oauth/token', form, [200, 400])
    if (status === 400) {
      monitor.report(`lost: the refresh token of the ${role} is valid and is not accepted`, text)
      throw new Error(`the ${role} cannot continue`)
    }
    tokens.set(role, { access: json.access_token, refresh: json.refresh_token, since: performance.now() })
  }

  return {
    roles: Object.keys(emails),
    token,
    renew(role, rejected) {
      const running = renewals.get(role) ?? refresh(role, rejected).finally(() => renewals.delete(role))
      renewals.set(role, running)
      return running
    },
  }
}
