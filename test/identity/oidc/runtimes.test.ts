import { Provider } from 'oidc-provider'
import { expect, test } from 'vitest'
import { createRuntimes } from '../../../src/identity/oidc/runtimes.ts'
import { until } from '../../support/poll.ts'

const school = { id: 'a school', slug: 'school', issuer: 'http://127.0.0.1:1' }

test('a request never waits for the check of the signing keys, also when the database does not respond', async () => {
  const provider = new Provider(school.issuer)
  const runtimes = createRuntimes({
    most: 1,
    checkEverySeconds: 0,
    build: async () => ({ provider, revision: 'one', mayIntrospect: () => false }),
    revision: () => new Promise(() => undefined),
  })
  for (let request = 0; request < 20; request += 1) expect((await runtimes.get(school)).provider).toBe(provider)
})

test('new signing keys are used as soon as their engine is built, and the old engine until then', async () => {
  let revision = 'one'
  let failures = 2
  const runtimes = createRuntimes({
    most: 1,
    checkEverySeconds: 0,
    async build() {
      if (revision === 'two' && failures > 0) {
        failures -= 1
        throw new Error('the keys cannot be read')
      }
      return { provider: new Provider(school.issuer), revision, mayIntrospect: () => false }
    },
    revision: async () => revision,
  })
  const { provider: first } = await runtimes.get(school)
  revision = 'two'
  expect((await runtimes.get(school)).provider).toBe(first)
  await until(async () => (await runtimes.get(school)).provider !== first, { what: 'the new engine' })
  expect(failures).toBe(0)
})

test('an engine that is evicted while it is used serves its requests to the end, and the next request builds it again', async () => {
  const schools = ['one', 'two', 'three'].map((id, index) => ({ id, slug: id, issuer: `http://127.0.0.1:${index + 1}` }))
  let built = 0
  const runtimes = createRuntimes({
    most: 1,
    checkEverySeconds: 0,
    async build({ issuer }) {
      built += 1
      return { provider: new Provider(issuer), mayIntrospect: () => false, revision: 'one' }
    },
    revision: async () => 'one',
  })
  // Every school evicts the one before it, also while it is still being built.
  const asked = Array.from({ length: 60 }, (_, index) => schools[index % schools.length] as (typeof schools)[number])
  const found = await Promise.all(asked.map(async (school) => ({ school, runtime: await runtimes.get(school) })))
  for (const { school, runtime } of found) expect(runtime.provider.issuer).toBe(school.issuer)
  expect(built).toBeGreaterThan(schools.length)
  const [first] = schools
  expect((await runtimes.get(first as (typeof schools)[number])).provider.issuer).toBe(first?.issuer)
})
