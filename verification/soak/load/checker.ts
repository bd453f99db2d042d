import { judgeLife } from '../judge.ts'
import type { Chain, SignedInBrowser } from '../ledger.ts'
import type { LoadContext, LoadKind } from './context.ts'

/** Checks that one grant is what the model says, in one of the ways in which a token is used. */
export async function checkChain({ insist, send, monitor, random }: LoadContext, chain: Chain): Promise<void> {
  const { life, clientId, accessSince, accessToken, refreshToken, former, ended = '' } = chain
  const name = (kind: string): string => `the ${kind} of grant ${chain.id}${ended && `, ended by ${ended},`}`
  const report = (kind: string, isActive: boolean, expected = life): void => {
    for (const problem of judgeLife(name(kind), expected, isActive)) monitor.report(problem)
  }
  const introspect = async (token: string): Promise<boolean> => {
    const form = { client_id: clientId, token }
    return (
      (await insist({ target: 'POST /api/oauth/introspect', path: '/api/oauth/introspect', form, expected: [200] })).json.active === true
    )
  }
  // Redis may lose access tokens; refresh tokens are in PostgreSQL.
  const isAccessActive = await introspect(accessToken)
  report('access token', isAccessActive, life === 'live' && monitor.mayHaveLost(accessSince) ? 'unknown' : life)
  report('refresh token', await introspect(refreshToken))
  if (life !== 'dead') return
  const headers = { authorization: `Bearer ${accessToken}` }
  for (const path of random.shuffled(['/api/oauth/userinfo', '/api/v1/account']).slice(0, 1)) {
    const { status } = await insist({ target: '-', path, headers, expected: [200, 401] })
    report(`access token at ${path}`, status === 200)
  }
  for (const token of former) report('former access token', await introspect(token))
  const form = { client_id: clientId, grant_type: 'refresh_token', refresh_token: refreshToken }
  const { status } = await send({ target: 'POST /api/oauth/token', path: '/api/oauth/token', form, expected: [200, 400] })
  report('refresh token', status === 200)
}

/** Checks that the cookies of a browser work, or do not after its sign-out. */
export async function checkBrowser({ insist, monitor }: LoadContext, browser: SignedInBrowser): Promise<void> {
  const headers = { accept: 'text/html', cookie: browser.cookies }
  const { status } = await insist({ target: 'page', path: '/account/apps', headers, expected: [200, 303] })
  const expected = browser.life === 'live' && monitor.mayHaveLost(browser.since) ? 'unknown' : browser.life
  for (const problem of judgeLife(`the session of browser ${browser.id}`, expected, status === 200)) monitor.report(problem)
}

/** Checks grants and sessions all the time, also while something fails. */
export function checks(context: LoadContext): LoadKind {
  const { ledger, random } = context
  return {
    name: 'introspection, UserInfo and pages',
    loops: 1,
    everyMs: 150,
    async step() {
      if (random.chance(0.2)) {
        const browsers = ledger.browsers.filter(({ life, isBusy }) => life !== 'unknown' && !isBusy)
        if (browsers.length > 0) await checkBrowser(context, random.pick(browsers))
        return
      }
      const life = random.chance(0.6) ? 'dead' : 'live'
      const chains = ledger.chains.filter((one) => one.life === life && !one.isBusy)
      if (chains.length === 0) return
      const chain = random.pick(chains)
      chain.isBusy = true
      try {
        await checkChain(context, chain)
      } finally {
        chain.isBusy = false
      }
    },
  }
}
