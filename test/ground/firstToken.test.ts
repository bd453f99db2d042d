import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { freePort } from '../support/process.ts'
import { startService } from '../support/service.ts'

const root = resolve(import.meta.dirname, '../..')

interface Walk {
  child: ChildProcess
  output(): string
  /** The address that a person is to open. */
  address(): Promise<string>
  exit(): Promise<number | null>
}

const begun: ChildProcess[] = []

function begin(...args: string[]): Walk {
  const child = spawn(process.execPath, ['scripts/firstToken.ts', ...args], { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] })
  begun.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const closed = once(child, 'close')
  const address = (): string | undefined => /^ {2}(http\S+)$/m.exec(output)?.[1]
  return {
    child,
    output: () => output,
    address: () => until(address, { what: 'the address to open' }),
    exit: async () => {
      await closed
      return child.exitCode
    },
  }
}

/** Returns a redirect to the client with a made-up code. */
function forged(address: string, parameters: Record<string, string>): URL {
  const { searchParams: sent } = new URL(address)
  const redirect = new URL(sent.get('redirect_uri') as string)
  redirect.search = new URLSearchParams({ code: 'forged', state: sent.get('state') as string, ...parameters }).toString()
  return redirect
}

const service = duringTests(() => startService({ people: [{ email: 'ada@example.com' }] }))

afterAll(async () => {
  for (const child of begun) child.kill()
})

describe('npm run first-token', () => {
  test('prints its usage with --help', async () => {
    const help = begin('--help')
    expect(await help.exit()).toBe(0)
    expect(help.output()).toMatch(/^Usage: npm run first-token -- \[base address\] \[scope \.\.\.\]\n/)
  })

  test('leads from the registration through a sign-in to the response of the API', async () => {
    const walk = begin(service.issuer, 'openid', 'account:read')
    const redirect = await personCalled('ada@example.com').authorize(await walk.address(), { scopes: 'all' })
    expect((await fetch(redirect)).status).toBe(200)
    expect(await walk.exit(), walk.output()).toBe(0)
    expect(walk.output()).toContain('account:read')
    expect(walk.output()).toContain('ada@example.com')
  })

  test.each([
    ['other scopes, as the README asks for them', ['openid', 'profile', 'courses:read'], 'all', '/api/v1/courses'],
    ['less than was asked for', ['openid', 'account:read', 'courses:read'], ['courses:read'], '/api/v1/courses'],
    ['nothing but the sign-in', ['openid', 'account:read'], ['openid'], '/api/oauth/userinfo'],
    ['nothing that can be read except their identity', ['openid', 'account:write'], ['account:write'], '/api/oauth/userinfo'],
  ] as const)('succeeds where the person allowed %s', async (_what, scopes, ticked, path) => {
    const walk = begin(service.issuer, ...scopes)
    const redirect = await personCalled('ada@example.com').authorize(await walk.address(), { scopes: ticked })
    await fetch(redirect)
    expect(await walk.exit(), walk.output()).toBe(0)
    expect(walk.output()).toContain(`${service.issuer}${path}\n{`)
  })

  test('explains in the browser and in the terminal that nothing was allowed, and exits with 1', async () => {
    const walk = begin(service.issuer)
    const redirect = await personCalled('ada@example.com').authorize(await walk.address(), { refuse: true })
    expect(await (await fetch(redirect)).text()).toContain('No permission was allowed')
    expect(await walk.exit()).toBe(1)
    expect(walk.output()).toContain('access_denied')
    expect(walk.output()).toContain('allow at least one permission')
  })

  test('exchanges nothing for a redirect from another issuer (RFC 9207 section 2.4)', async () => {
    const walk = begin(service.issuer)
    await fetch(forged(await walk.address(), { iss: 'http://127.0.0.1:1' }))
    expect(await walk.exit()).toBe(1)
    expect(walk.output()).toContain('the code was not exchanged')
  })

  test('exchanges nothing for a redirect of another run, says so, and waits for its own', async () => {
    const walk = begin(service.issuer)
    const address = await walk.address()
    expect(await (await fetch(forged(address, { iss: service.issuer, state: 'forged' }))).text()).toContain('the code was not exchanged')
    await fetch(await personCalled('ada@example.com').authorize(address, { scopes: 'all' }))
    expect(await walk.exit(), walk.output()).toBe(0)
  })

  test('takes the address that a browser on another computer shows, pasted into the terminal', async () => {
    const walk = begin(service.issuer)
    const redirect = await personCalled('ada@example.com').authorize(await walk.address(), { scopes: 'all' })
    walk.child.stdin?.write(`nonsense\n${redirect}\n`)
    expect(await walk.exit(), walk.output()).toBe(0)
    expect(walk.output()).toContain('This is not the address')
    expect(walk.output()).toContain('ada@example.com')
  })

  test('ends with 1 if the sign-in is not finished, and says what to do', async () => {
    const child = spawn(process.execPath, ['scripts/firstToken.ts', service.issuer], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, FIRST_TOKEN_SECONDS: '0' },
    })
    begun.push(child)
    let output = ''
    child.stderr.on('data', (chunk) => (output += chunk))
    expect((await once(child, 'close'))[0]).toBe(1)
    expect(output).toContain('Run this command again')
    expect(output).toContain('The app is on a different computer')
  })

  test('without a service shows how to start one', async () => {
    const walk = begin(`http://127.0.0.1:${await freePort()}`)
    expect(await walk.exit()).toBe(1)
    expect(walk.output()).toContain('npm start')
    expect(walk.output()).not.toMatch(/^\s+at /m)
  })
})
