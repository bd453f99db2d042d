import { request as httpRequest } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import { lecturer, owner, type Reply, startStorage } from '../school/files/storageService.ts'
import { openTestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'

/** The service and its caller are one process here: whatever blocks one blocks the other. With an allowance for a machine under load. */
const longestDelayMs = 6000

const svg = (inside: string): Buffer => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`)
const json = { 'content-type': 'application/json' }

describe('one request does not hold up the others', () => {
  const opened = duringTests(openTestDatabase)
  const service = duringTests(() => startStorage({ database: opened.database, server: { storage: { uploads_per_minute: 1000 } } }))

  /** Sends a request, and checks how long the event loop was blocked meanwhile. */
  async function promptly(send: () => Promise<Reply>): Promise<Reply> {
    const delay = monitorEventLoopDelay({ resolution: 10 })
    delay.enable()
    const reply = await send()
    delay.disable()
    expect(delay.max / 1e6).toBeLessThan(longestDelayMs)
    return reply
  }

  const upload = (bytes: Buffer): Promise<Reply> =>
    service.form(lecturer, { purpose: 'image' }, { bytes, name: 'drawing.svg', type: 'image/svg+xml' })

  test('an SVG drawing with one long attribute is cleaned promptly', async () => {
    expect((await promptly(() => upload(svg(`<g fill="${'a'.repeat(80_000)}" d="url(#"/>`)))).status).toBe(201)
  })

  test('an SVG drawing above its limits is refused with the limit and the fix', async () => {
    for (const drawing of [svg('<g>'.repeat(80_000)), svg('<g/>'.repeat(20_000)), svg('a'.repeat(10_000_000))]) {
      const { status, json: body } = await promptly(() => upload(drawing))
      expect([status, body.error, body.details[0].field]).toEqual([413, 'payload_too_large', expect.stringMatching(/^(file|byte_size)$/)])
    }
    const announced = await service.announce(lecturer, {
      filename: 'a.svg',
      content_type: 'image/svg+xml',
      purpose: 'image',
      byte_size: 262_145,
    })
    expect([announced.status, announced.json.details[0].field]).toEqual([413, 'byte_size'])
  })

  test('a body with 90,000 unknown members is refused promptly', async () => {
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`f${index}`, 1])))
    const { status, json: refusal } = await promptly(() => service.call(owner, 'courses', { method: 'POST', headers: json, body }))
    expect([status, refusal.error]).toEqual([413, 'payload_too_large'])
    expect(refusal.error_description).toBe(
      'The body must have at most 200 members in one object, has 90000. Remove members that the API does not define.',
    )
  })

  test('an unknown member is named with the nearest field, and 150 of them with the first hundred', async () => {
    const unknown = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`titel${index}`, 1])))
    const one = await service.call(owner, 'courses', { method: 'POST', headers: json, body: JSON.stringify({ titel: 'Clay' }) })
    expect(one.json.details).toContainEqual(expect.objectContaining({ field: 'titel', meta: { nearest: 'title' } }))
    const many = await promptly(() => service.call(owner, 'courses', { method: 'POST', headers: json, body: unknown(150) }))
    expect([many.status, many.json.details.length]).toEqual([422, 100])
  })

  test('bodies with too many values or long names are refused promptly', async () => {
    for (const body of [
      `{"tags":[${'1,'.repeat(400_000)}1]}`,
      `{"${'a'.repeat(500_000)}":["\\u0000"]}`,
      `{"metadata":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
    ]) {
      const { status } = await promptly(() => service.call(owner, 'courses', { method: 'POST', headers: json, body }))
      expect([400, 413]).toContain(status)
    }
  })

  test('a Markdown table with many columns and rows is refused promptly, with its field', async () => {
    const description = `${'|a'.repeat(3000)}\n${'|-'.repeat(3000)}\n${'|x\n'.repeat(500)}`
    const { status, json: body } = await promptly(() =>
      service.call(owner, 'courses', { method: 'POST', headers: json, body: JSON.stringify({ title: 'Clay', description }) }),
    )
    expect([status, body.details[0].field]).toEqual([422, 'description'])
    expect(body.details[0].message).toMatch(/^description: must have at most 10000 table cells, has \d+\. Split the text\.$/)
  })

  test('a form with many parts, or with large headers of a part, is refused promptly', async () => {
    const boundary = 'b'
    const form = (parts: readonly string[]): string => `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`
    const field = (name: string): string => `Content-Disposition: form-data; name="${name}"\r\n\r\nx`
    const bodies = [
      form(Array.from({ length: 5000 }, (_, index) => field(`f${index}`))),
      form([field('a'.repeat(200_000))]),
      form([`Content-Disposition: form-data; name="file"; ${'filename="'.repeat(20_000)}\r\n\r\nx`]),
      form([`X-Header: ${'a'.repeat(1_000_000)}\r\n${field('purpose')}`]),
      `${'x'.repeat(30_000_000)}`,
    ]
    for (const body of bodies) {
      const { status } = await promptly(() =>
        service.call(lecturer, 'storage/files', {
          method: 'POST',
          headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
          body,
        }),
      )
      expect([400, 413]).toContain(status)
    }
    expect((await upload(svg('<g/>'))).status).toBe(201)
  })

  test('headers, cookies and queries of the maximum length are read promptly', async () => {
    const long = (piece: string): string => piece.repeat(Math.floor(7500 / piece.length))
    const headers = {
      accept: ['"', 'a/b,', '*/*;q=0.1,', ';'],
      'accept-language': ['de,', 'a-', '"'],
      cookie: ['a=b;', ';', '="'],
      'if-none-match': ['"a",', '"'],
      range: ['bytes=0-1,'],
      authorization: ['Bearer ', 'a '],
      'x-forwarded-for': ['127.0.0.1,', ',', 'a', '::1%'],
      forwarded: ['for=127.0.0.1,', 'for="', ';'],
    }
    for (const [name, pieces] of Object.entries(headers)) {
      for (const piece of pieces)
        expect(await promptly(() => get('/api/v1/courses', { [name]: long(piece) }))).toMatchObject({ status: expect.any(Number) })
    }
    for (const query of ['a&', 'status=a,', 'q=%25', 'fields=a,', 'a[b]=c&'])
      expect((await promptly(() => get(`/api/v1/courses?${long(query)}`, {}))).status).toBe(400)
    for (const query of ['ui_locales=a+', 'scope=a+', 'resource=a&', 'id_token_hint=a&', 'id_token_hint=e30.', 'id_token_hint=W1tb'])
      expect((await promptly(() => get(`/oauth/authorize?${long(query)}`, {}))).status).toBeGreaterThanOrEqual(400)
  })

  test('a hint of the sign-out is answered promptly, however long its form is and however deep its payload', async () => {
    const deep = (levels: number): string => Buffer.from(`{"aud":${'['.repeat(levels)}${']'.repeat(levels)}}`).toString('base64url')
    for (const body of [
      `id_token_hint=e30.${deep(1000)}.a`,
      `id_token_hint=e30.${deep(15_000)}.a`,
      `id_token_hint=${'e30.'.repeat(10_000)}`,
      'id_token_hint=a&'.repeat(3000),
    ]) {
      const { status } = await promptly(() => post('/oauth/logout', body))
      // A hint that cannot be verified counts as absent.
      expect([200, 400, 413, 414]).toContain(status)
    }
  })

  /** Sends a form, and follows the redirect to the same parameters in the query. */
  const post = async (path: string, body: string): Promise<Reply> => {
    const response = await fetch(`${service.issuer}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body,
    })
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()), json: undefined }
  }

  /** `fetch` sets some of these headers itself. */
  const get = (path: string, headers: Record<string, string>): Promise<Reply> =>
    new Promise((resolve, reject) => {
      httpRequest(`${service.issuer}${path}`, { headers }, (response) => {
        response
          .resume()
          .on('end', () => resolve({ status: response.statusCode ?? 0, headers: new Headers(), bytes: Buffer.alloc(0), json: undefined }))
      })
        .on('error', reject)
        .end()
    })
})
