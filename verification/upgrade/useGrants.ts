import { setTimeout as delay } from 'node:timers/promises'
import { refreshWindowSeconds } from '../soak/installation.ts'
import type { Chain } from '../soak/ledger.ts'
import type { LoadContext } from '../soak/load/context.ts'
import type { Sent } from '../soak/send.ts'

/** Both processes get some of the repetitions. */
const repetitions = 3

/**
 * Refreshes live grants, and repeats each refresh at the same time and afterwards, as clients with several windows do: every response within the
 * window is the same. Returns the grants.
 */
export async function repeatRefreshes(context: LoadContext, most = Number.POSITIVE_INFINITY): Promise<Chain[]> {
  const { ledger, monitor, random } = context
  const chains = random.shuffled(ledger.chains.filter(({ life }) => life === 'live')).slice(0, most)
  await eachOf(chains, async (chain) => {
    const used = chain.refreshToken
    const together = await Promise.all(Array.from({ length: repetitions }, () => refresh(context, chain, used)))
    const replies = [...together, ...(await Promise.all(Array.from({ length: repetitions }, () => refresh(context, chain, used))))]
    const tokens = new Set(replies.map(({ status, json }) => (status === 200 ? json.refresh_token : 'none')))
    if (tokens.size > 1 || tokens.has('none'))
      monitor.report(
        'a repeated refresh within the window gets another response',
        replies.map(({ text }) => text.slice(0, 100)).join('\n  '),
      )
    const first = replies.find(({ status }) => status === 200)
    if (!first) monitor.report('lost: the refresh token of a live grant is not accepted')
    else {
      chain.used.push({ token: used, at: performance.now() })
      chain.former.push(chain.accessToken)
      Object.assign(chain, { accessToken: first.json.access_token, refreshToken: first.json.refresh_token, accessSince: performance.now() })
    }
  })
  return chains
}

/** Refreshes every live grant, and uses its former refresh token again after the window, which ends the grant. */
export async function endGrants(context: LoadContext): Promise<void> {
  const { insist, monitor } = context
  const chains = await repeatRefreshes(context)
  await delay((refreshWindowSeconds + 1) * 1000)
  await eachOf(chains, async (chain) => {
    const reply = await refresh(context, chain, chain.used.at(-1)?.token ?? '')
    if (reply.status === 200) monitor.report('twice: a used refresh token was accepted after its window')
    const form = { client_id: chain.clientId, token: chain.accessToken }
    const sending = { target: 'POST /api/oauth/introspect', path: '/api/oauth/introspect', form, expected: [200] }
    if ((await insist(sending)).json.active) monitor.report('a used refresh token did not end its grant after its window')
    Object.assign(chain, { life: 'dead', ended: 'a used refresh token' })
  })
}

/** Does the work on a few grants at a time. */
async function eachOf(chains: readonly Chain[], work: (chain: Chain) => Promise<void>): Promise<void> {
  const waiting = chains.values()
  const loop = async (): Promise<void> => {
    for (const chain of waiting) await work(chain)
  }
  await Promise.all([loop(), loop(), loop()])
}

function refresh({ insist }: LoadContext, { clientId }: Chain, token: string): Promise<Sent> {
  const form = { client_id: clientId, grant_type: 'refresh_token', refresh_token: token }
  return insist({ target: 'POST /api/oauth/token', path: '/api/oauth/token', form, expected: [200, 400] })
}
