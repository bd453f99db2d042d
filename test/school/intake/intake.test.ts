import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { platformOperations } from '../../../src/school/intake/platformOperations.ts'
import { duringTests } from '../../support/duringTests.ts'
import { newReference, nextPlatformKey, platformKey, startPlatform } from '../../support/platform.ts'
import { startService } from '../../support/service.ts'
import { newProduct } from '../../support/shop.ts'

const service = duringTests(() => startService({ schools: 2 }))
const platform = duringTests(() => startPlatform(service))

const order = async (issuer = service.issuer) => ({
  buyer: { email: `${newId()}@example.org`, name: 'Wren Tallow' },
  items: [{ type: 'digital_product', id: toPublicId('dgp', await newProduct(service.database.sql, service.schoolId(issuer))) }],
})
const send = (init: RequestInit, path = '/platform/v1/orders'): Promise<Response> =>
  fetch(platform.address + path, {
    method: 'POST',
    ...init,
    headers: { authorization: `Bearer ${platformKey}`, 'content-type': 'application/json', ...init.headers },
  })

describe('the key', () => {
  test('without it, with a wrong one and with another scheme every path is 401, whether it exists or not', async () => {
    for (const authorization of ['', 'Bearer wrong', `Basic ${platformKey}`, `Bearer ${platformKey}x`, `Bearer ${platformKey.slice(1)}`]) {
      for (const path of ['/platform/v1/orders', '/platform/v1/nothing', '/platform']) {
        const response = await send({ headers: { authorization }, body: '{}' }, path)
        expect([authorization, path, response.status, ((await response.json()) as { error: string }).error]).toEqual([
          authorization,
          path,
          401,
          'invalid_token',
        ])
      }
    }
  })

  test('wrong ones are limited and logged once, and the right one is accepted from the same address meanwhile', async () => {
    const attacked = await startPlatform(service)
    const wrong = async (): Promise<number> => (await attacked.report('/orders', {}, 'a-wrong-key')).status
    const statuses: number[] = []
    for (let count = 0; count < 40; count += 1) statuses.push(await wrong())
    expect(statuses).toEqual([...Array<number>(30).fill(401), ...Array<number>(10).fill(429)])
    expect(attacked.log().match(/platform request with a wrong key refused/g)).toHaveLength(1)
    expect(attacked.log()).not.toContain('a-wrong-key')
    expect((await attacked.report('/orders', { school: 'first', ...(await order()) })).status).toBe(201)
    await attacked.stop()
  })

  test('during a rotation both keys are accepted', async () => {
    for (const key of [platformKey, nextPlatformKey])
      expect((await platform.report('/orders', { school: 'first', ...(await order()) }, key)).status).toBe(201)
  })

  test('without a configured key the paths do not exist', async () => {
    const closed = await startPlatform(service, [])
    expect((await closed.report('/orders', await order())).status).toBe(404)
    expect((await fetch(`${closed.address}/platform/v1/openapi.json`)).status).toBe(404)
    await closed.stop()
  })

  test('the public port has none of these paths', async () => {
    const response = await fetch(`${service.issuer}/platform/v1/orders`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platformKey}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(response.status).toBe(404)
  })

  test('never appears in the log', () => {
    expect(platform.log()).toContain('"platform request"')
    expect(platform.log()).not.toContain(platformKey)
  })
})

describe('a reference', () => {
  test('with the same body returns the first response, also after the order has changed; with another body it is 409', async () => {
    const report = { school: 'first', reference: newReference(), ...(await order()) }
    const first = await platform.report('/orders', report)
    await platform.report(`/orders/${first.body.number}/cancel`, { school: 'first' })
    const again = await platform.report('/orders', report)
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true'])
    expect(first.headers.get('idempotent-replayed')).toBe(null)
    const other = await platform.report('/orders', { ...report, tax_id: 'DE123456789' })
    expect([other.status, other.body.error]).toEqual([409, 'reference_reused'])
  })

  test('sent ten times at the same time makes one order', async () => {
    const report = { school: 'first', reference: newReference(), ...(await order()) }
    const all = await Promise.all(Array.from({ length: 10 }, () => platform.report('/orders', report)))
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(all.map(({ body }) => body.number)).size).toBe(1)
  })

  test('belongs to its school and its operation', async () => {
    const reference = newReference()
    const first = await platform.report('/orders', { school: 'first', reference, ...(await order()) })
    const second = await platform.report('/orders', { school: 'second', reference, ...(await order(service.other)) })
    const paid = await platform.report(`/orders/${first.body.number}/pay`, { school: 'first', reference, amount: 900, currency: 'EUR' })
    expect([first.status, second.status, paid.status]).toEqual([201, 201, 200])
  })

  test('of another order is 409: one payment pays one order', async () => {
    const [one, two] = [
      await platform.report('/orders', { school: 'first', ...(await order()) }),
      await platform.report('/orders', { school: 'first', ...(await order()) }),
    ]
    const payment = { school: 'first', reference: newReference(), amount: 900, currency: 'EUR' }
    expect((await platform.report(`/orders/${one.body.number}/pay`, payment)).status).toBe(200)
    expect((await platform.report(`/orders/${two.body.number}/pay`, payment)).body.error).toBe('reference_reused')
  })
})

describe('the school', () => {
  test('must be named if there are several, and an order of one school does not exist in another', async () => {
    const missing = await platform.report('/orders', await order())
    expect([missing.status, missing.body.details[0].field]).toEqual([422, 'school'])
    expect((await platform.report('/orders', { school: 'third', ...(await order()) })).body.details[0].code).toBe('invalid_reference')
    const { body } = await platform.report('/orders', { school: 'first', ...(await order()) })
    // Both schools number their orders from 1.
    const foreign = await platform.report(`/orders/2001-${body.number.slice(5)}/cancel`, { school: 'second' })
    expect([foreign.status, foreign.body.error]).toEqual([404, 'not_found'])
  })
})

describe('a body', () => {
  test('is bounded before it is parsed, and every wrong one is 4xx with a code of the table', async () => {
    const cases: [RequestInit, number, string][] = [
      [{ body: 'x'.repeat(300_000) }, 413, 'payload_too_large'],
      [{ body: '{' }, 400, 'invalid_json'],
      [{ body: '[]' }, 422, 'validation_failed'],
      [{ body: 'null' }, 422, 'validation_failed'],
      [{ body: '{}' }, 422, 'validation_failed'],
      [{ body: '{}', headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
      [{ body: '{}', headers: { 'content-encoding': 'gzip' } }, 415, 'unsupported_media_type'],
      [{ body: `${'{"a":'.repeat(50)}1${'}'.repeat(50)}` }, 400, 'invalid_json'],
      [{ body: JSON.stringify({ reference: 'x', buyer: null, items: [], __proto__: 1, unknown: 1 }) }, 422, 'validation_failed'],
      [{ body: JSON.stringify({ reference: 'x\u0000y', buyer: {}, items: [] }) }, 422, 'validation_failed'],
    ]
    for (const [init, status, code] of cases) {
      const response = await send(init)
      const { error } = (await response.json()) as { error: string }
      expect([String(init.body).slice(0, 40), response.status, error]).toEqual([String(init.body).slice(0, 40), status, code])
    }
    expect((await send({ method: 'GET' })).status).toBe(405)
    expect((await send({ body: '{}' }, '/platform/v1/orders/1/pay')).status).toBe(404)
    expect((await send({ body: '{}' }, `/platform/v1/${'x'.repeat(3000)}`)).status).toBe(414)
  })

  test('names every wrong field at the same time', async () => {
    const { status, body } = await platform.report('/orders', {
      buyer: { email: 'nobody' },
      items: [{ type: 'gift', id: 'x' }],
      expires_in_minutes: 1,
      surprise: true,
    })
    expect(status).toBe(422)
    expect(body.details.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      'buyer.email',
      'expires_in_minutes',
      'items.0.type',
      'surprise',
    ])
  })
})

describe('the description', () => {
  test('is clean for Redocly by its recommended rules, and has every operation', async () => {
    const response = await fetch(`${platform.address}/platform/v1/openapi.json`)
    const source = await response.text()
    const config = await createConfig({ extends: ['recommended'], rules: { 'info-license': 'off' } })
    const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
    expect(found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`)).toEqual([])
    const { paths } = JSON.parse(source) as { paths: Record<string, object> }
    expect(Object.keys(paths)).toEqual(platformOperations.map(({ path }) => `/platform/v1${path}`))
    for (const path of [
      '/orders',
      '/orders/{number}/pay',
      '/orders/{number}/fail',
      '/orders/{number}/refund',
      '/comments',
      '/form_submissions',
    ])
      expect(Object.keys(paths)).toContain(`/platform/v1${path}`)
  })

  test('has an example of each request that passes its own validation', async () => {
    const { paths } = (await (await fetch(`${platform.address}/platform/v1/openapi.json`)).json()) as {
      paths: Record<string, { post: { requestBody: { content: { 'application/json': { example: object } } } } }>
    }
    for (const operation of platformOperations) {
      const example = paths[`/platform/v1${operation.path}`]?.post.requestBody.content['application/json'].example
      expect([operation.id, operation.input.safeParse(example).error?.issues]).toEqual([operation.id, undefined])
    }
  })
})
