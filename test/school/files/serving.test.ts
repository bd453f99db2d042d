import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { fromPublicId } from '../../../src/base/ids.ts'
import { createKeyring } from '../../../src/base/keyring.ts'
import { diskFiles } from '../../../src/database/files/fileStorage.ts'
import { createFileServices } from '../../../src/operate/compose/files.ts'
import { duringTests } from '../../support/duringTests.ts'
import { longText, realTexts } from '../../support/realText.ts'
import { rootSecret } from '../../support/service.ts'
import { gif, owner, pdf, png, type Reply, request, startStorage } from './storageService.ts'

const picture = { filename: 'kiln.png', content_type: 'image/png', purpose: 'image' }

describe('the address of a file', () => {
  const service = duringTests(() => startStorage({ schools: 2 }))

  const headers = (reply: Reply, ...names: string[]) => names.map((name) => reply.headers.get(name))
  const signed = (file: Reply) => {
    const files = createFileServices({
      database: service.database,
      storage: async () => diskFiles('/nowhere'),
      keyring: createKeyring([rootSecret]),
      operations: [],
      limits: () => ({ quota_bytes: 1, uploads_per_minute: 1, bytes_per_day: 1, slowest_bytes_per_second: 1 }),
    })
    const school = { id: service.schoolId(), slug: 'first', issuer: service.issuer }
    const { id, filename, content_type } = file.json
    return files.downloadAddress(school, { id: fromPublicId('fil', id) as string, filename, content_type })
  }

  test('of a public file serves bytes that a browser caches for five minutes and does not sniff', async () => {
    const file = await service.bring(owner, png, picture)
    const reply = await request(file.json.url)
    expect(reply.bytes.equals(png)).toBe(true)
    expect(
      headers(
        reply,
        'content-type',
        'cache-control',
        'x-content-type-options',
        'content-security-policy',
        'content-disposition',
        'cross-origin-resource-policy',
        'accept-ranges',
      ),
    ).toEqual([
      'image/png',
      'public, max-age=300, must-revalidate',
      'nosniff',
      "sandbox; default-src 'none'; frame-ancestors 'none'",
      'inline; filename="kiln.png"',
      'cross-origin',
      'bytes',
    ])
    const known = await request(file.json.url, { headers: { 'if-none-match': reply.headers.get('etag') as string } })
    expect([known.status, known.bytes.length]).toEqual([304, 0])
    const head = await request(file.json.url, { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, String(png.length), 0])
    expect((await request(file.json.url, { method: 'POST' })).status).toBe(405)
  })

  test.each([
    ['Übungsblätter für Größe.pdf', 'Ubungsblatter fur Grosse.pdf'],
    ['Đặng Văn Đức.pdf', '_ang Van _uc.pdf'],
    ['名前 Übung.pdf', '__ Ubung.pdf'],
    ['дневник.pdf', '_______.pdf'],
    ['العربية.pdf', '_______.pdf'],
    ['emoji🎨 "a" 100%.pdf', 'emoji_ _a_ 100_.pdf'],
  ])('names %j in ASCII and in UTF-8 (RFC 6266 section 4.3)', async (filename, fallback) => {
    const file = await service.bring(owner, pdf(50), {
      filename,
      content_type: 'application/pdf',
      purpose: 'attachment',
      visibility: 'public',
    })
    const disposition = (await request(file.json.url)).headers.get('content-disposition') ?? ''
    expect(disposition).toMatch(/^[\x20-\x7e]+$/)
    expect(disposition).toContain(`filename="${fallback}"`)
    expect(decodeURIComponent(/filename\*=UTF-8''(.+)$/.exec(disposition)?.[1] ?? '')).toBe(filename)
  })

  test('names every file as people do, in a header in ASCII', async () => {
    for (const text of [...Object.values(realTexts), longText]) {
      const filename = `${text.replace(/[/\\]/g, '-')}.pdf`
      const announced = { filename, content_type: 'application/pdf', purpose: 'attachment', visibility: 'public' }
      const { json } = await service.bring(owner, pdf(50), announced)
      expect(json).toMatchObject({ filename })
      const disposition = (await request(json.url)).headers.get('content-disposition') ?? ''
      expect(disposition).toMatch(
        /^(?:inline|attachment); filename=(?:"[ !#-[\]-~]+\.pdf"|[\w.-]+)(?:; filename\*=UTF-8''[\w.!#$&+^`|~%-]+)?$/,
      )
      const [, encoded] = /filename\*=UTF-8''(.+)$/.exec(disposition) ?? []
      const [, plain] = /filename="(.+?)"/.exec(disposition) ?? []
      expect(encoded === undefined ? plain : decodeURIComponent(encoded)).toBe(filename)
    }
  })

  test.each(['\u202egnp.exe', 'a\u2066b.pdf', '\u200b', 'a\nb.pdf', '../a.pdf', '..'])('%j cannot be a name', async (filename) => {
    expect((await service.announce(owner, { ...picture, filename, byte_size: 1 })).json).toMatchObject({ error: 'validation_failed' })
  })

  test('of a file that was deleted or is private now is 404 for every cache that asks again', async () => {
    for (const withdraw of [
      (id: string) => service.call(owner, `storage/files/${id}`, { method: 'DELETE' }),
      (id: string) => service.database.sql.query("UPDATE file SET visibility = 'private' WHERE id = $1", [fromPublicId('fil', id)]),
    ]) {
      const { json } = await service.bring(owner, png, picture)
      const condition = { 'if-none-match': (await request(json.url)).headers.get('etag') as string }
      expect((await request(json.url, { headers: condition })).status).toBe(304)
      await withdraw(json.id)
      const gone = await request(json.url, { headers: condition })
      expect([gone.status, gone.headers.get('cache-control')]).toEqual([404, 'no-store'])
    }
  })

  test('of an upload without bytes is 404 until they are there', async () => {
    const other = await service.bring(owner, png, picture)
    const upload = await service.announce(owner, { ...picture, byte_size: png.length })
    const url = other.json.url.replace(other.json.id, upload.json.file_id)
    expect((await request(url)).status).toBe(404)
    await service.put(upload, png)
    expect((await request(url)).status).toBe(200)
  })

  test('returns ranges as slices of the bytes, also with conditions', async () => {
    const bytes = pdf(1000)
    const file = await service.bring(owner, bytes, {
      filename: 'a.pdf',
      content_type: 'application/pdf',
      purpose: 'attachment',
      visibility: 'public',
    })
    const ask = (range: string, more: Record<string, string> = {}) => request(file.json.url, { headers: { range, ...more } })
    for (const [range, slice] of [
      ['bytes=0-0', bytes.subarray(0, 1)],
      ['bytes=5-9', bytes.subarray(5, 10)],
      ['bytes=990-', bytes.subarray(990)],
      ['bytes=990-5000', bytes.subarray(990)],
      ['bytes=-7', bytes.subarray(-7)],
      ['bytes=-5000', bytes],
    ] as const) {
      const reply = await ask(range)
      expect([range, reply.status, reply.bytes.equals(slice)]).toEqual([range, 206, true])
      const first = bytes.length - slice.length
      expect(reply.headers.get('content-range')).toMatch(/^bytes \d+-\d+\/1000$/)
      if (range.startsWith('bytes=-')) expect(reply.headers.get('content-range')).toBe(`bytes ${first}-999/1000`)
    }
    const beyond = await ask('bytes=1000-')
    expect([beyond.status, beyond.headers.get('content-range'), beyond.json.error]).toEqual([416, 'bytes */1000', 'range_not_satisfiable'])
    expect(beyond.headers.get('content-disposition')).toBeNull()
    for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=9-1']) expect((await ask(range)).status).toBe(200)
    const tag = (await ask('bytes=0-1')).headers.get('etag') as string
    expect((await ask('bytes=0-1', { 'if-range': tag })).status).toBe(206)
    expect((await ask('bytes=0-1', { 'if-range': '"other"' })).status).toBe(200)
  })

  test('of a private file needs its own signature, until it expires, and reveals nothing without it', async () => {
    const file = await service.bring(owner, pdf(50), { filename: 'plans.pdf', content_type: 'application/pdf', purpose: 'attachment' })
    expect([file.json.visibility, file.json.url]).toEqual(['private', null])
    const { url, expires_at } = signed(file)
    expect((Date.parse(expires_at) - Date.now()) / 60_000).toBeLessThanOrEqual(5)
    const reply = await request(url)
    expect([reply.status, reply.bytes.length, ...headers(reply, 'cache-control', 'content-disposition')]).toEqual([
      200,
      50,
      'private, no-cache',
      'attachment; filename="plans.pdf"',
    ])
    const [bare] = url.split('?') as [string]
    const unknown = bare.replace(/fil_\w{4}/, 'fil_0000')
    const shape = async (address: string) => {
      const { status, json } = await request(address)
      return [status, json.error, json.error_description]
    }
    expect(await shape(bare)).toEqual(await shape(unknown))
    expect(await shape(`${bare}?expires=9999999999&signature=x`)).toEqual(await shape(`${unknown}?expires=9999999999&signature=x`))
    for (const query of ['expires=9999999999', 'signature=x', 'expires=9999999999&signature=x&signature=y'])
      expect([403, 404]).toContain((await request(`${bare}?${query}`)).status)
    for (const wrong of [
      url.replace(/expires=\d+/, (all) => `${all}0`),
      url.replace(/signature=.{4}/, 'signature=AAAA'),
      url.replace(/plans\.pdf/, 'other.pdf'),
    ]) {
      expect((await request(wrong)).status).toBeGreaterThanOrEqual(403)
    }
    expect((await shape(bare))[0]).toBe(404)
  })

  test('belongs to one school', async () => {
    const file = await service.bring(owner, png, picture)
    expect((await request(file.json.url.replace(service.issuer, service.other))).status).toBe(404)
    const upload = await service.announce(owner, { ...picture, byte_size: png.length })
    const elsewhere = await request(upload.json.upload.url.replace(service.issuer, service.other), {
      method: 'PUT',
      body: new Uint8Array(png),
    })
    expect([elsewhere.status, elsewhere.json.error]).toEqual([403, 'signature_invalid'])
  })

  test('leads only to its file, whatever it contains', async () => {
    const file = await service.bring(owner, png, picture)
    const base = `/files/${file.json.id}`
    for (const path of [
      `${base}/..%2f..%2fetc%2fpasswd`,
      `${base}/%2e%2e`,
      `${base}/other.png`,
      `${base}/kiln.png%00`,
      `${base}/%ff`,
      `/files/..%2f/kiln.png`,
      `/files/${file.json.id.toUpperCase()}/kiln.png`,
      `${base}/a%0d%0aSet-Cookie:%20x=1`,
      `${base}/`,
    ]) {
      expect([path, (await raw(service.issuer, path)).split('\r\n')[0]]).toEqual([path, 'HTTP/1.1 404 Not Found'])
    }
    const odd = await service.bring(owner, png, { ...picture, filename: 'Töpfe "; filename=x.exe; & 日本.png' })
    const reply = await request(odd.json.url)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-disposition')).toMatch(/^inline; filename="[^"\r\n]*(\\"[^"\r\n]*)*"; filename\*=UTF-8''/)
  })

  test('of an SVG serves it as a download', async () => {
    const evil = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10" onload="alert(1)"><script>alert(1)</script><path d="M0 0"/></svg>',
    )
    const file = await service.bring(owner, evil, { filename: 'logo.svg', content_type: 'image/svg+xml', purpose: 'image' })
    expect([file.json.width, file.json.height]).toEqual([20, 10])
    const reply = await request(file.json.url)
    expect(reply.bytes.toString()).not.toMatch(/script|onload/)
    expect(file.json.byte_size).toBe(reply.bytes.length)
    expect(headers(reply, 'content-disposition', 'content-security-policy')).toEqual([
      'attachment; filename="logo.svg"',
      "sandbox; default-src 'none'; frame-ancestors 'none'",
    ])
  })

  test('of bytes that are both a picture and a script serves a picture', async () => {
    const both = Buffer.concat([gif.subarray(0, 6), Buffer.from('/*'), gif.subarray(8), Buffer.from('*/=1;alert(1)')])
    const file = await service.bring(owner, both, { filename: 'x.gif', content_type: 'image/gif', purpose: 'image' })
    expect(file.status).toBe(200)
    expect(headers(await request(file.json.url), 'content-type', 'x-content-type-options')).toEqual(['image/gif', 'nosniff'])
  })
})

/** Sends one request with its path unchanged. */
async function raw(issuer: string, path: string): Promise<string> {
  const { hostname, port, host } = new URL(issuer)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}
