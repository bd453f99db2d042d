import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, get, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { until } from '../../support/poll.ts'
import { operatorEvents, placesToTest } from './cli.ts'

interface ListedKey {
  kid: string
  alg: string
  state: string
  active_at: string
  retired_at: string | null
}

describe.each(await placesToTest())('keys, with a service running on $name', ({ open }) => {
  const place = duringTests(open)
  const agent = duringTests(() => createAgent(place.service.issuer))
  beforeAll(async () => {
    await place.service.addPerson({ email: 'ada@example.org' })
  })

  const jwks = async (): Promise<JSONWebKeySet> => (await get(`${place.service.issuer}/api/oauth/jwks`)).body
  const idToken = async (): Promise<string> => (await agent.tokens(personCalled('ada@example.org'), { scope: 'openid' })).body.id_token
  const verify = async (token: string) =>
    (await jwtVerify(token, createLocalJWKSet(await jwks()), { issuer: place.service.issuer, audience: agent.clientId })).protectedHeader
  const list = async (): Promise<ListedKey[]> => (await place.cli(['keys', 'list', '--json'])).json()
  const signing = async (): Promise<string[]> => (await list()).filter((key) => key.state === 'signing').map((key) => key.kid)
  const published = (kids: string[]) =>
    until(async () => (await jwks()).keys.some(({ kid }) => kids.includes(kid as string)), {
      what: 'the new keys to be published',
    })

  test('rotation: tokens of the old key can still be verified, and the new one signs within ten seconds (D27)', async () => {
    const before = await idToken()
    const { kid: old } = await verify(before)
    const olds = await signing()
    expect(olds).toHaveLength(2)
    const rotated = await place.cli(['keys', 'rotate', '--now', '--yes'])
    expect(rotated, rotated.err).toMatchObject({ exitCode: 0 })

    const kid = await until(
      async () => {
        const header = await verify(await idToken())
        return header.kid !== old && header.kid
      },
      { what: 'a new key to sign' },
    )
    expect(await signing()).toContain(kid)
    expect(olds).not.toContain(kid)
    expect(await verify(before)).toMatchObject({ kid: old })
  })

  test('a rotation without --now publishes the new keys, and the old ones sign until verifiers have loaded them', async () => {
    const before = await signing()
    const rotated = await place.cli(['keys', 'rotate'])
    expect(rotated, rotated.err).toMatchObject({ exitCode: 0 })
    expect(rotated.out).toContain('in 60 minutes')
    const keys = await list()
    const coming = keys.filter((key) => key.state === 'published')
    expect(coming.map((key) => key.alg).toSorted()).toEqual(['ES256', 'RS256'])
    // Each old key retires at the moment at which the new one starts signing.
    const moments = new Set([
      ...coming.map((key) => key.active_at),
      ...keys.filter(({ kid }) => before.includes(kid)).map((key) => key.retired_at),
    ])
    expect(moments.size).toBe(1)
    const inMinutes = (Date.parse([...moments][0] as string) - Date.now()) / 60_000
    expect(inMinutes).toBeGreaterThan(59)
    expect(inMinutes).toBeLessThanOrEqual(60.1)

    await published(coming.map(({ kid }) => kid))
    expect(before).toContain((await verify(await idToken())).kid)
  })

  test('--now replaces a rotation in progress', async () => {
    const coming = (await list()).filter((key) => key.state === 'published').map((key) => key.kid)
    const rotated = await place.cli(['keys', 'rotate', '--now'], { answers: ['y'] })
    expect(rotated, rotated.err).toMatchObject({ exitCode: 0 })
    const keys = await list()
    expect(keys.filter((key) => key.state === 'published')).toEqual([])
    expect(
      keys
        .filter((key) => key.state === 'signing')
        .map((key) => key.alg)
        .toSorted(),
    ).toEqual(['ES256', 'RS256'])
    expect(await signing()).not.toEqual(expect.arrayContaining(coming))
  })

  test('rotations at the same moment leave one key of each algorithm to sign', async () => {
    const both = await Promise.all([place.cli(['keys', 'rotate', '--now', '--yes']), place.cli(['keys', 'rotate', '--now', '--yes'])])
    expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(
      (await list())
        .filter((key) => key.state === 'signing')
        .map((key) => key.alg)
        .toSorted(),
    ).toEqual(['ES256', 'RS256'])
  })

  test('the last key of an algorithm cannot be retired, and a retired one not twice', async () => {
    const [kid] = (await signing()) as [string]
    const last = await place.cli(['keys', 'retire', '--yes', '--', kid])
    expect(last.exitCode).toBe(1)
    expect(last.err).toContain('keys rotate')
    expect(await signing()).toContain(kid)
    const gone = (await list()).find((key) => key.state === 'retired')?.kid as string
    expect(await place.cli(['keys', 'retire', '--yes', '--', gone])).toMatchObject({ exitCode: 1, err: expect.stringContaining('already') })
    expect(await place.cli(['keys', 'retire', '--yes', 'nonsense'])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('keys list'),
    })
  })

  test('a key that is about to sign cannot be retired if no other key follows', async () => {
    await place.cli(['keys', 'rotate'])
    const coming = (await list()).filter((key) => key.state === 'published')
    expect(coming).toHaveLength(2)
    expect(await place.cli(['keys', 'retire', '--yes', '--', coming[0]?.kid as string])).toMatchObject({ exitCode: 1 })
    // The one that signs now would leave its place empty until the other begins.
    expect(await place.cli(['keys', 'retire', '--yes', '--', (await signing())[0] as string])).toMatchObject({ exitCode: 1 })
  })

  test('private members are never in the JWKS, nor in anything that the program prints', async () => {
    const served = await jwks()
    expect(served.keys.length).toBeGreaterThan(4)
    for (const key of served.keys) {
      for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) expect(key).not.toHaveProperty(member)
    }
    for (const key of await list()) {
      expect(Object.keys(key)).toEqual(['kid', 'alg', 'state', 'created_at', 'active_at', 'retired_at', 'published_until'])
    }
  })

  test('every change is in the audit trail, with the operator who made it', async () => {
    const events = await operatorEvents(place.service)
    expect(events.length).toBeGreaterThanOrEqual(4)
    for (const { event, details } of events) {
      expect(event).toBe('operator.keys_rotated')
      expect(details).toMatchObject({ operator: 'ops', added: expect.any(Array), retired: expect.any(Array) })
    }
  })
})
