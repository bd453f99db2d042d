// Proves RFC 9207 section 2.4, RFC 9700 section 4.14: The script of `/auth.md` redeems no response with another state or issuer, and loses no refresh token whatever fails

import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { type ForwardingProxy, startForwardingProxy } from '../support/forwardingProxy.ts'
import { type Block, blocksOf, createWorkplace, differences, type Workplace } from '../support/literal.ts'
import { until } from '../support/poll.ts'
import { freePort } from '../support/process.ts'
import { startService } from '../support/service.ts'

const people = { learner: 'ada@example.com', owner: 'grace@example.com' } as const

const service = duringTests(() => startService())
let page: string
beforeAll(async () => {
  for (const [role, email] of Object.entries(people)) await service.addPerson({ email, role: role as keyof typeof people })
  page = await (await fetch(`${service.issuer}/auth.md`)).text()
})

const account = (token: string) => fetch(`${service.issuer}/api/v1/account`, { headers: { authorization: `Bearer ${token.trim()}` } })
const isBegin = (command: string): boolean => command.includes('school.sh begin')
const isListener = (command: string): boolean => command.startsWith('nohup ')
const isLog = (command: string): boolean => command === 'cat school.log'
const isPaste = (command: string): boolean => /school\.sh finish '/.test(command)

/** Sends the redirect to the listener of the page, as the browser does, after requests that it must ignore. */
async function redirectTo(redirect: URL): Promise<void> {
  const stray = async (path: string) => (await fetch(new URL(path, redirect))).status
  await until(async () => (await stray('/favicon.ico')) === 404, { what: 'the listener' })
  expect(await stray('/callback?code=forged&state=forged')).toBe(404)
  const answer = await fetch(redirect)
  expect([answer.status, await answer.text()]).toEqual([200, 'You can close this page.'])
}

/** Follows the page in a folder, with another port, because tests run at the same time. Returns the outputs of the blocks. */
async function follow(place: Workplace, way: 'listen' | 'paste', email: string): Promise<{ block: Block; out: string }[]> {
  const port = String(await freePort())
  const blocks = blocksOf(page).map((block) => ({ ...block, text: block.text.replaceAll('8765', port) }))
  const outputs: { block: Block; out: string }[] = []
  const run = async (block: Block): Promise<string> => {
    const { code, out, errors } = await place.run(block.text)
    expect([block.text, errors, code]).toEqual([block.text, '', 0])
    outputs.push({ block, out })
    return out
  }
  const [listener, log, paste] = [isListener, isLog, isPaste].map((is) => blocks.find(({ text }) => is(text)))
  if (!listener || !log || !paste) throw new Error('the page shows both ways to receive the response')
  const receive = async (url: string): Promise<void> => {
    if (way === 'listen') await run(listener)
    const redirect = await personCalled(email).authorize(url, { scopes: 'all' })
    if (way === 'listen') {
      await redirectTo(redirect)
      await until(async () => (await place.run(log.text)).out.startsWith('granted: '), { what: 'the tokens' })
      await run(log)
    } else {
      await run({ ...paste, text: paste.text.replace(/'.*'/, `'${redirect.href}'`) })
    }
  }
  for (const block of blocks.filter(({ language }) => language === 'sh')) {
    if ([isListener, isLog, isPaste].some((is) => is(block.text))) continue
    if (block.text.startsWith('#!')) {
      // The script, which the block before it has saved.
      expect(await readFile(join(place.folder, 'school.sh'), 'utf8')).toBe(`${block.text.replaceAll(port, '8765')}\n`)
      await place.run(`sed -i s/8765/${port}/ school.sh`)
      const { code, errors } = await place.run('sh school.sh')
      expect([code, errors]).toEqual([1, expect.stringMatching(/^# school.sh begin/)])
      continue
    }
    const out = await run(block)
    if (isBegin(block.text)) await receive(out.trim())
  }
  return outputs
}

describe('the commands of the served auth.md, each in a new shell', () => {
  test.each([
    ['dash', 'listen', 'learner'],
    ['bash', 'listen', 'owner'],
    ['bash', 'paste', 'learner'],
    ['dash', 'paste', 'owner'],
  ] as const)('lead in %s (%s) from registration to revocation, as %s', async (shell, way, role) => {
    const place = await createWorkplace(shell)
    try {
      const outputs = await follow(place, way, people[role])
      const outputOf = (part: string): string => outputs.find(({ block }) => block.text.includes(part))?.out ?? ''
      expect(JSON.parse(outputOf('/api/v1/account'))).toMatchObject({ email: people[role], membership: { roles: [role] } })
      // Every sample of the page is what came.
      const blocks = blocksOf(page)
      const samples = blocks.flatMap(({ language, text }, index) =>
        language === 'json' ? [{ sample: text, after: blocks[index - 1]?.text }] : [],
      )
      expect(samples.length).toBeGreaterThanOrEqual(2)
      for (const { sample, after } of samples) {
        const out = outputs.find(({ block }) => block.text === after)?.out
        expect(differences(JSON.parse(out ?? 'null'), JSON.parse(sample))).toEqual([])
      }
      expect(JSON.parse(outputOf('-X PATCH'))).toMatchObject({ object: 'account', email: people[role] })
      expect((await stat(join(place.folder, 'school.sh.state'))).mode & 0o777).toBe(0o600)
      expect((await place.run('ls')).out.split('\n').filter((name) => name.includes('.lock') || name.includes('.body'))).toEqual([])
      expect((await place.run('sh school.sh token')).errors).toMatch(/^No token/)
    } finally {
      await place.remove()
    }
  })
})

describe.each(['bash', 'dash'] as const)('the script in %s', (shell) => {
  let place: Workplace
  let proxy: ForwardingProxy
  beforeEach(async () => {
    place = await createWorkplace(shell)
    proxy = await startForwardingProxy()
    const [save] = blocksOf(page)
    await place.run(save?.text ?? '')
  })
  afterEach(async () => {
    await proxy.close()
    await place.remove()
  })

  const state = (): Promise<string> => readFile(join(place.folder, 'school.sh.state'), 'utf8')
  const begin = async (scopes = 'openid account:read'): Promise<string> => (await place.run(`sh school.sh begin '${scopes}'`)).out.trim()
  /** Signs in, and returns the access token. */
  const signIn = async (): Promise<string> => {
    const redirect = await personCalled(people.learner).authorize(await begin())
    expect(await place.run(`sh school.sh finish '${redirect}'`)).toMatchObject({ code: 0, out: 'granted: openid account:read\n' })
    return token()
  }
  const token = async (): Promise<string> => (await place.run('sh school.sh token')).out.trim()
  const expire = () => place.run("sed -i 's/^expires=.*/expires=1/' school.sh.state")

  test('has fewer than 60 lines', async () => {
    expect((await readFile(join(place.folder, 'school.sh'), 'utf8')).trimEnd().split('\n').length).toBeLessThan(60)
  })

  test('says what the person did not grant: permissions to change data start unticked', async () => {
    const redirect = await personCalled(people.owner).authorize(await begin('openid account:read events:write'))
    const { code, out } = await place.run(`sh school.sh finish '${redirect}'`)
    expect([code, out]).toEqual([0, 'granted: openid account:read\nnot granted: events:write\n'])
  })

  test('reports that the person declined, and keeps the client for the next request', async () => {
    const url = await begin()
    const redirect = await personCalled(people.learner).authorize(url, { refuse: true })
    expect(await place.run(`sh school.sh finish '${redirect}'`)).toMatchObject({
      code: 1,
      out: '',
      errors: expect.stringMatching(/^refused: access_denied: \w[^%+]+\n$/),
    })
    expect(new URL(await begin()).searchParams.get('client_id')).toBe(new URL(url).searchParams.get('client_id'))
  })

  test('redeems no code of another request or another server, and then the right one', async () => {
    const redirect = await personCalled(people.learner).authorize(await begin())
    for (const [name, value] of [
      ['state', 'forged'],
      ['iss', 'https://other.example'],
    ] as const) {
      const wrong = new URL(redirect)
      wrong.searchParams.set(name, value)
      expect(await place.run(`sh school.sh finish '${wrong}'`, proxy.environment)).toMatchObject({ code: 1, out: '' })
    }
    expect(proxy.requested).toEqual([])
    expect(await place.run(`sh school.sh finish '${redirect}'`)).toMatchObject({ code: 0 })
  })

  test('refreshes an expired token, and a token that the service rejects, on request', async () => {
    const first = await signIn()
    expect(await token()).toBe(first)
    await expire()
    const second = await token()
    const third = (await place.run('sh school.sh token new')).out.trim()
    expect(new Set([first, second, third]).size).toBe(3)
    expect((await account(third)).status).toBe(200)
  })

  test('keeps its refresh token while the network is down', async () => {
    await signIn()
    await expire()
    const before = await state()
    const down = { http_proxy: `http://127.0.0.1:${await freePort()}` }
    expect(await place.run('sh school.sh token', down)).toMatchObject({ code: 1, out: '', errors: expect.stringContaining('No response') })
    expect(await state()).toBe(before)
    expect((await account(await token())).status).toBe(200)
  })

  test('gets the tokens of a response that was lost by repeating the request', async () => {
    await signIn()
    await expire()
    proxy.treatNext('drop the response')
    expect(await place.run('sh school.sh token', proxy.environment)).toMatchObject({ code: 1, out: '' })
    expect((await account(await token())).status).toBe(200)
    await expire()
    expect((await account(await token())).status).toBe(200)
  })

  test('waits after 429 and 503 for as long as Retry-After says, and keeps its tokens if that is too long', async () => {
    await signIn()
    await expire()
    const refusal = (status: number, seconds: number) => ({ status, headers: { 'retry-after': String(seconds) }, body: '{"error":"busy"}' })
    proxy.treatNext(refusal(503, 1), refusal(429, 1))
    const refreshed = await place.run('sh school.sh token', proxy.environment)
    expect([refreshed.errors, proxy.requested.length]).toEqual(['', 3])
    expect((await account(refreshed.out)).status).toBe(200)
    await expire()
    const before = await state()
    proxy.treatNext(refusal(503, 3600))
    expect(await place.run('sh school.sh token', proxy.environment)).toMatchObject({ code: 1, out: '', errors: '{"error":"busy"}\n' })
    expect(await state()).toBe(before)
    proxy.treatNext(refusal(503, 3600))
    expect(await place.run('sh school.sh revoke', proxy.environment)).toMatchObject({ code: 1, errors: '{"error":"busy"}\n' })
    expect((await account(await token())).status).toBe(200)
  })

  test('refreshes once when several shells need a token at the same time', async () => {
    await signIn()
    await expire()
    const outputs = await Promise.all(Array.from({ length: 4 }, () => place.run('sh school.sh token', proxy.environment)))
    expect(outputs.map(({ code, errors }) => [code, errors])).toEqual(Array(4).fill([0, '']))
    expect(new Set(outputs.map(({ out }) => out)).size).toBe(1)
    expect(proxy.requested).toEqual(['/api/oauth/token'])
    expect((await account(outputs[0]?.out ?? '')).status).toBe(200)
  })

  test('takes over the lock of a process that was killed', async () => {
    const first = await signIn()
    await expire()
    const ended = (await place.run('echo $$')).out.trim()
    await place.run(`mkdir school.sh.lock && echo ${ended} >school.sh.lock/pid`)
    const second = await token()
    expect(second).not.toBe(first)
    expect((await account(second)).status).toBe(200)
  })

  test('forgets the tokens after their revocation, and keeps the client', async () => {
    const revoked = await signIn()
    expect(await place.run('sh school.sh revoke')).toMatchObject({ code: 0, out: '', errors: '' })
    expect((await account(revoked)).status).toBe(401)
    expect(await state()).toMatch(/^client=cli_\w+$/m)
    expect((await account(await signIn())).status).toBe(200)
  })
})

test('without a refresh window, shells that need a token at the same time revoke nothing', async () => {
  const strict = await startService({ oauth: { refresh_window_seconds: 0 } })
  const place = await createWorkplace('dash')
  try {
    await strict.addPerson({ email: people.learner })
    await place.run(blocksOf(await (await fetch(`${strict.issuer}/auth.md`)).text())[0]?.text ?? '')
    const { out: url } = await place.run("sh school.sh begin 'openid account:read'")
    const redirect = await personCalled(people.learner).authorize(url.trim())
    await place.run(`sh school.sh finish '${redirect}'`)
    await place.run("sed -i 's/^expires=.*/expires=1/' school.sh.state")
    const outputs = await Promise.all(Array.from({ length: 4 }, () => place.run('sh school.sh token')))
    expect(new Set(outputs.map(({ out }) => out)).size).toBe(1)
    expect(await place.run('sh school.sh token new')).toMatchObject({ code: 0, errors: '' })
  } finally {
    await place.remove()
    await strict.stop()
  }
})
