import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { readEnvironment } from '../../src/config/environment.ts'
import { loadConfig } from '../../src/config/load.ts'
import { printConfig } from '../../src/config/print.ts'
import { planReload } from '../../src/config/reload.ts'
import { configFolder, load, scopes, usableScopes } from './configFolder.ts'

const shipped = resolve(import.meta.dirname, '../../config')
const secret = { SECRET_KEY: 's'.repeat(32) }

describe('loading', () => {
  test('the shipped files contain the defaults, and the demo school has the address BASE_URL', () => {
    const config = loadConfig({ directory: shipped, environment: readEnvironment({ PORT: '4000' }), ...scopes })
    const { schools: _, ...rest } = config
    const { schools: __, ...defaults } = load({})
    expect(rest).toEqual(defaults)
    expect(config.schools).toMatchObject([{ slug: 'demo', issuer: 'http://127.0.0.1:4000', docs_url: 'http://127.0.0.1:4000/auth.md' }])
    expect(config.schools[0]?.defaults).toMatchObject({
      name: 'Lanternfield School of Making',
      currency: 'EUR',
      time_zone: 'Europe/Berlin',
    })
  })

  test('an empty file, a file of comments and an empty section mean the defaults', () => {
    expect(load({ 'server.yaml': '', 'oauth.yaml': '# nothing\n', 'roles.yaml': '---\n' })).toEqual(load({}))
    expect(load({ 'oauth.yaml': 'registration:\n  # enabled: false\nlifetimes:\n' })).toEqual(load({}))
  })

  test('a section changes only the keys that it names', () => {
    const { rate_limits: limits } = load({ 'server.yaml': 'rate_limits:\n  anonymous: {requests: 7}\n' }).server
    expect(limits.anonymous).toEqual({ requests: 7, window_seconds: 60 })
    expect(limits.default).toEqual({ requests: 600, window_seconds: 60 })
  })

  test('a school has the slug of its file name, its issuer, and a name that is derived from the slug', () => {
    const config = load({ 'schools/north-quay.yaml': 'issuer: https://north.example.com\n', 'schools/demo.yaml': '' }, secret)
    expect(config.schools.map(({ slug, issuer, docs_url, defaults }) => [slug, issuer, docs_url, defaults.name])).toEqual([
      ['demo', 'http://127.0.0.1:3000', 'http://127.0.0.1:3000/auth.md', 'Demo'],
      ['north-quay', 'https://north.example.com', 'https://north.example.com/auth.md', 'North Quay'],
    ])
  })

  test('a role that is left out grants all scopes that it can use; a list narrows them and never removes the identity scopes', () => {
    expect(load({}).roles).toEqual(usableScopes)
    expect(load({ 'roles.yaml': 'learner: []\nadmin: [courses:write, courses:read]\n' }).roles).toEqual({
      ...usableScopes,
      learner: ['openid', 'profile', 'email'],
      admin: ['openid', 'profile', 'email', 'courses:read', 'courses:write'],
    })
  })

  test('baseline scopes keep the order in which they are written', () => {
    expect(load({}).oauth.baseline_scopes).toEqual(['openid', 'profile', 'email', 'account:read', 'courses:read'])
    expect(load({ 'oauth.yaml': 'baseline_scopes: [email, openid]\n' }).oauth.baseline_scopes).toEqual(['email', 'openid'])
  })

  test('a list that is shared through an anchor is valid', () => {
    const same = ['courses:read']
    const { roles } = load({ 'roles.yaml': stringify({ lecturer: same, learner: same }) })
    expect(roles.lecturer).toEqual(roles.learner)
  })

  test('the configuration is frozen', () => {
    const config = load({})
    const all = (value: unknown): unknown[] =>
      typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(all)] : []
    expect(all(config).filter((value) => !Object.isFrozen(value))).toEqual([])
  })

  test.each(['http://quill.localhost:3000', 'http://localhost:3000', 'http://[::1]:3000'])(
    'an issuer at the loopback host %s needs no TLS',
    (issuer) => {
      expect(load({ 'schools/demo.yaml': `issuer: ${issuer}\n` }).schools[0]?.issuer).toBe(issuer)
    },
  )

  test('files that begin with a dot and generated files are ignored', () => {
    const files = {
      '.gitkeep': 'x',
      '.server.yaml.swp': 'x',
      'README.md': 'x',
      'schema.json': 'x',
      'schools/.keep': 'x',
      'schools/demo.yaml': '',
    }
    expect(load(files)).toEqual(load({}))
  })
})

describe('printing', () => {
  test('shows every current value and no secret', () => {
    const hash = `sha256:${'Q'.repeat(43)}`
    const directory = configFolder({
      'schools/demo.yaml': stringify({
        integrations: [
          {
            client_id: 'sync',
            client_name: 'Sync',
            redirect_uris: ['https://s.example.com/c'],
            token_endpoint_auth_method: 'client_secret_post',
            secret_hash: hash,
          },
        ],
      }),
    })
    const environment = readEnvironment({
      SECRET_KEY: 'topsecret-'.repeat(4),
      DEMO_PASSWORD: 'topsecret',
      DATABASE_URL: 'postgres://school:topsecret@db.internal:5432/gate?sslpassword=topsecret',
      REDIS_URL: 'redis+cluster://user:12/topsecret@h1:6379,h2:6379',
    })
    const printed = printConfig(loadConfig({ directory, environment, ...scopes }), environment)
    expect(printed).not.toContain('topsecret')
    expect(printed).not.toContain(hash)
    const shown = parse(printed) as Record<string, Record<string, unknown>>
    expect(shown.environment).toMatchObject({
      PORT: 3000,
      SECRET_KEY: '[masked]',
      DEMO_PASSWORD: '[masked]',
      DATABASE_URL: 'postgres://school:[masked]@db.internal:5432',
      REDIS_URL: '[masked]',
    })
    expect(shown.oauth?.refresh_window_seconds).toBe(60)
    expect(shown.schools?.demo).toMatchObject({
      issuer: 'http://127.0.0.1:3000',
      integrations: [{ client_id: 'sync', secret_hash: '[masked]' }],
    })
  })
})

describe('reloading', () => {
  const compare = (before: Record<string, string>, after: Record<string, string>) => {
    const { reloadable, needsRestart } = planReload(load(before, secret), load(after, secret))
    return { reloadable, needsRestart }
  }
  const demo = { 'schools/demo.yaml': '' }
  const north = { 'schools/north.yaml': 'issuer: https://north.example.com\n' }

  test('finds no change in an unchanged configuration', () => {
    expect(compare({}, {})).toEqual({ reloadable: [], needsRestart: [] })
  })

  test('applies changes of lifetimes, roles, resource servers and schools, and names each', () => {
    const after = {
      'oauth.yaml': 'lifetimes: {access_token_seconds: 900}\n',
      'roles.yaml': 'learner: []\n',
      'resources.yaml': 'resource_servers: [{identifier: "urn:r", name: R, scopes: [openid]}]\n',
      'schools/demo.yaml': 'docs_url: https://docs.example.com\nprotected_client_names: [Lantern]\n',
    }
    const { reloadable, needsRestart } = compare({}, after)
    expect(needsRestart).toEqual([])
    expect(reloadable.toSorted()).toEqual([
      'oauth.lifetimes.access_token_seconds',
      'resources.resource_servers',
      'roles.learner',
      'schools.demo.docs_url',
      'schools.demo.protected_client_names',
    ])
  })

  test('adds a new school, and keeps a removed one until the next start', () => {
    expect(compare(demo, { ...demo, ...north })).toEqual({ reloadable: ['schools.north (added)'], needsRestart: [] })
    expect(compare({ ...demo, ...north }, demo)).toEqual({ reloadable: [], needsRestart: ['schools.north (removed)'] })
  })

  test('keeps the server and the issuers until the next start', () => {
    const after = {
      'server.yaml': 'shutdown_seconds: 5\n',
      'schools/demo.yaml': 'issuer: http://127.0.0.1:5000\ndocs_url: https://docs.example.com\n',
    }
    expect(compare({ 'schools/demo.yaml': 'docs_url: https://docs.example.com\n' }, after)).toEqual({
      reloadable: [],
      needsRestart: ['server.shutdown_seconds', 'schools.demo.issuer'],
    })
  })
})

test('messages show a directory as it was given', () => {
  const directory = configFolder({ 'server.yaml': 'x: 1' })
  expect(() => loadConfig({ directory, environment: readEnvironment({}), ...scopes })).toThrow(join(directory, 'server.yaml:1'))
})
