import { people, refreshWindowSeconds } from '../installation.ts'
import type { Chain } from '../ledger.ts'
import type { LoadContext, LoadKind } from './context.ts'
import { type OAuthClient, oauthClient, register, watchedPerson } from './oauthClient.ts'

const token = '/api/oauth/token'

/** People sign in to new clients, which redeem codes, refresh, and end their access in every way. */
export function chains(context: LoadContext): LoadKind {
  const { ledger, monitor, random, installation } = context
  const clientOf = (clientId: string): OAuthClient => oauthClient(clientId, context, { monitor, issuer: installation.issuer })
  let people_ = 0

  async function begin(): Promise<void> {
    const clientId = await register(context)
    ledger.clients.push(clientId)
    const client = clientOf(clientId)
    people_ += 1
    const { code, since } = await client.authorize(watchedPerson(people.learners[people_ % people.learners.length] ?? '', context))
    const { status, json, tries, text } = await client.redeem(code)
    if (status !== 200) {
      // A code whose first response was lost is used up; one that Redis lost does not exist.
      if (tries === 0 && !monitor.mayHaveLost(since)) monitor.report('lost: a new code is not accepted', text)
      return
    }
    const chain: Chain = {
      ...{ id: ledger.chains.length, clientId, life: 'live', used: [], former: [], isBusy: true },
      ...{ accessToken: json.access_token, refreshToken: json.refresh_token, accessSince: performance.now() },
    }
    ledger.chains.push(chain)
    try {
      if (random.chance(0.15)) await replayCode(client, chain, code, since)
      else if (random.chance(0.4)) await refresh(client, chain)
    } finally {
      chain.isBusy = false
    }
  }

  /** A code that comes again without its verifier is stolen: it is rejected and ends its grant. With it, it gets the same tokens. */
  async function replayCode(client: OAuthClient, chain: Chain, code: string, since: number): Promise<void> {
    chain.life = 'unknown'
    const again = await client.redeem(code)
    if (again.status === 200 && again.json.refresh_token !== chain.refreshToken)
      monitor.report('twice: a code was exchanged for two pairs', again.text)
    const { status, text } = await client.redeem(code, { code_verifier: 'x'.repeat(43) })
    if (status === 200) monitor.report('twice: a used code was accepted again', text)
    else if (!monitor.mayHaveLost(since)) Object.assign(chain, { life: 'dead', ended: 'a used code' })
  }

  async function refresh(client: OAuthClient, chain: Chain): Promise<void> {
    const [used, since] = [chain.refreshToken, performance.now()]
    const form = { grant_type: 'refresh_token', refresh_token: used }
    const { status, json, tries, text } = await client.post(token, form, [200, 400])
    const withinWindow = performance.now() - since < (refreshWindowSeconds - 5) * 1000
    if (status !== 200) {
      chain.life = 'unknown'
      // A response that was lost can be repeated within the window.
      if (tries === 0 || withinWindow) monitor.report('lost: a valid refresh token is not accepted', text)
      return
    }
    chain.used.push({ token: used, at: performance.now() })
    chain.former.push(chain.accessToken)
    Object.assign(chain, { accessToken: json.access_token, refreshToken: json.refresh_token, accessSince: performance.now() })
    if (!random.chance(0.2)) return
    const again = await client.post(token, form, [200, 400])
    if (performance.now() - since > (refreshWindowSeconds - 5) * 1000) chain.life = again.status === 200 ? chain.life : 'unknown'
    else if (again.status !== 200) monitor.report('lost: a repeated refresh within the window is not answered', again.text)
    else if (again.json.refresh_token !== json.refresh_token) monitor.report('twice: a refresh token was exchanged for two pairs')
  }

  /** A refresh token that comes again after its window is stolen: it is rejected and ends its grant. */
  async function replayRefresh(client: OAuthClient, chain: Chain): Promise<void> {
    chain.life = 'unknown'
    const [oldest] = chain.used
    const { status, text } = await client.post(token, { grant_type: 'refresh_token', refresh_token: oldest?.token ?? '' }, [200, 400])
    if (status === 200) monitor.report('twice: a used refresh token was accepted after its window', text)
    else Object.assign(chain, { life: 'dead', ended: 'a used refresh token' })
  }

  async function end(client: OAuthClient, chain: Chain): Promise<void> {
    chain.life = 'unknown'
    const kind = random.pick(['refresh token', 'access token', 'connected app'] as const)
    if (kind !== 'connected app') {
      const revoked = kind === 'access token' ? chain.accessToken : chain.refreshToken
      const wasThere = kind === 'refresh token' || !monitor.mayHaveLost(chain.accessSince)
      await client.post('/api/oauth/revoke', { token: revoked }, [200])
      // The revocation of an access token that Redis had lost ends nothing.
      if (wasThere && !(kind === 'access token' && monitor.mayHaveLost(chain.accessSince)))
        Object.assign(chain, { life: 'dead', ended: `revocation of the ${kind}` })
      return
    }
    const headers = { authorization: `Bearer ${chain.accessToken}` }
    const path = '/api/v1/account/authorizations'
    const list = await context.insist({ target: '-', path: `${path}?limit=100`, headers, expected: [200, 401] })
    const found = (list.json?.data as { id: string; client: { client_id: string } }[] | undefined)?.find(
      (one) => one.client.client_id === chain.clientId,
    )
    if (!found) {
      chain.life = 'live'
      if (list.status === 200) monitor.report('lost: a grant is not among the connected apps', list.text)
      else if (!monitor.mayHaveLost(chain.accessSince)) monitor.report('lost: an access token is valid and is not accepted', list.text)
      return
    }
    // A repeated request finds the token dead.
    const remove = { target: 'revokeAuthorization', method: 'DELETE', path: `${path}/${found.id}`, headers }
    const { status, tries } = await context.insist({ ...remove, expected: [204, 401, 404] })
    if (status === 204) Object.assign(chain, { life: 'dead', ended: 'the connected apps' })
    else if (tries === 0 && !monitor.mayHaveLost(chain.accessSince))
      monitor.report(`revokeAuthorization: ${status} for a grant of the caller`)
  }

  return {
    name: 'sign-ins, codes, refreshes and revocations',
    loops: 3,
    everyMs: 250,
    async step() {
      const live = ledger.chains.filter(({ life, isBusy }) => life === 'live' && !isBusy)
      if (live.length < 20 || random.chance(0.3)) return await begin()
      const now = performance.now()
      const stale = live.filter(({ used }) => used[0] && now - used[0].at > (refreshWindowSeconds + 5) * 1000)
      const [chain, act] =
        stale.length > 0 && random.chance(0.3)
          ? [random.pick(stale), replayRefresh]
          : [random.pick(live), random.chance(0.6) ? refresh : end]
      chain.isBusy = true
      try {
        await act(clientOf(chain.clientId), chain)
      } finally {
        chain.isBusy = false
      }
    },
  }
}
