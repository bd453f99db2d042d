import { describe, expect, test } from 'vitest'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { until } from '../../support/poll.ts'
import { gif, learner, lecturer, other, owner, pdf, png, request, sha256, startStorage } from './storageService.ts'

const picture = { filename: 'kiln.png', content_type: 'image/png', purpose: 'image' }
const document = { filename: 'plans.pdf', content_type: 'application/pdf', purpose: 'attachment' }

describe.each(await databasesToTest())('uploads on $name', ({ open }) => {
  const opened = duringTests(open)
  const service = duringTests(() => startStorage({ database: opened.database, server: { storage: { uploads_per_minute: 1000 } } }))

  const used = async (): Promise<number> =>
    Number(
      (await service.database.sql.query<{ bytes: string }>('SELECT bytes FROM storage_usage WHERE school_id = $1', [service.schoolId()]))[0]
        ?.bytes ?? 0,
    )

  test('an announced file is sent to a signed address without a token, and can then be read and named', async () => {
    const upload = await service.announce(owner, { ...picture, byte_size: png.length, checksum_sha256: sha256(png) })
    expect([upload.status, upload.json.status, upload.json.upload.method]).toEqual([201, 'pending', 'PUT'])
    const minutes = (Date.parse(upload.json.upload.expires_at) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(59)
    expect(minutes).toBeLessThanOrEqual(60)
    const file = await service.put(upload, png, { authorization: 'Bearer nonsense' })
    expect(file.status).toBe(200)
    expect(file.json).toMatchObject({
      id: upload.json.file_id,
      object: 'file',
      status: 'ready',
      byte_size: png.length,
      checksum_sha256: sha256(png),
      visibility: 'public',
      width: 1,
      height: 1,
      references_count: 0,
    })
    expect((await service.call(owner, `storage/uploads/${upload.json.id}`)).json).toMatchObject({ status: 'completed', upload: null })
    expect((await request(file.json.url)).bytes.equals(png)).toBe(true)

    const course = await service.call(owner, 'courses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Clay', cover_image: { file_id: file.json.id, alt: 'A kiln' } }),
    })
    expect(course.json.cover_image).toMatchObject({ url: file.json.url, width: 1, height: 1 })
    expect((await service.call(owner, `storage/files/${file.json.id}`)).json.references_count).toBe(1)
  })

  test('a file can also be sent in a form', async () => {
    const file = await service.form(lecturer, { purpose: 'image', alt: 'A pixel' }, { bytes: png, name: 'a pixel.png', type: 'image/png' })
    expect([file.status, file.json.filename, file.json.alt, file.json.width]).toEqual([201, 'a pixel.png', 'A pixel', 1])
    expect((await request(file.json.url)).bytes.equals(png)).toBe(true)
  })

  test('a form is refused with what is wrong with it', async () => {
    const file = { bytes: png, name: 'x.png', type: 'image/png' }
    const codes = async (fields: Record<string, string>, one?: typeof file) => {
      const { status, json } = await service.form(owner, fields, one)
      return [status, json.error]
    }
    expect(await codes({ purpose: 'image' })).toEqual([422, 'validation_failed'])
    expect(await codes({}, file)).toEqual([422, 'validation_failed'])
    expect(await codes({ purpose: 'nothing' }, file)).toEqual([422, 'validation_failed'])
    expect(await codes({ purpose: 'image', owner: 'me' }, file)).toEqual([422, 'unknown_field'])
    expect(await codes({ purpose: 'image' }, { ...file, type: 'image/gif' })).toEqual([422, 'type_not_allowed'])
    expect(await codes({ purpose: 'avatar' }, { ...file, bytes: Buffer.concat([png, Buffer.alloc(2_097_152)]) })).toEqual([
      413,
      'payload_too_large',
    ])
    expect(await codes({ purpose: 'attachment' }, { ...file, bytes: Buffer.concat([png, Buffer.alloc(26_214_400)]) })).toEqual([
      413,
      'payload_too_large',
    ])
    const json = await service.call(owner, 'storage/files', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
    expect([json.status, json.json.error]).toEqual([415, 'unsupported_media_type'])
  })

  test('bytes that are not of the announced type are refused, whatever they are called', async () => {
    const lies: [Uint8Array, object][] = [
      [pdf(200), picture],
      [png, document],
      [Buffer.from('<script>alert(1)</script>'), picture],
      [Buffer.from('MZ\x90\x00 this program cannot'), { ...picture, content_type: 'image/webp' }],
      [png, { filename: 'x.txt', content_type: 'text/plain', purpose: 'attachment' }],
      [Buffer.from('not a caption'), { filename: 'x.vtt', content_type: 'text/vtt', purpose: 'captions' }],
      [Buffer.from('<html><body onload=alert(1)>'), { filename: 'x.svg', content_type: 'image/svg+xml', purpose: 'image' }],
    ]
    for (const [bytes, announced] of lies) {
      const reply = await service.bring(owner, bytes, announced)
      expect([reply.status, reply.json.error, announced]).toEqual([422, 'type_not_allowed', announced])
    }
  })

  test('a file of a type without a purpose, a file that is too large and a name with a path are rejected', async () => {
    const codes = async (announced: object) => {
      const { status, json } = await service.announce(owner, { ...picture, byte_size: 10, ...announced })
      return [status, json.error]
    }
    expect(await codes({ content_type: 'text/html' })).toEqual([422, 'type_not_allowed'])
    expect(await codes({ purpose: 'avatar', content_type: 'image/svg+xml' })).toEqual([422, 'type_not_allowed'])
    expect(await codes({ byte_size: 10 * 1_048_576 + 1 })).toEqual([413, 'payload_too_large'])
    expect(await codes({ byte_size: 0 })).toEqual([422, 'validation_failed'])
    for (const filename of ['../../etc/passwd', '..', 'a\r\nSet-Cookie: x=1', 'a\\b.png', '', 'x'.repeat(256), 'a\u202egnp.exe']) {
      expect(await codes({ filename })).toEqual([422, 'validation_failed'])
    }
  })

  test('bytes with another checksum, too few and too many leave nothing, and the address still works', async () => {
    const upload = await service.announce(owner, { ...picture, byte_size: png.length, checksum_sha256: sha256(gif) })
    expect((await service.put(upload, png)).json.error).toBe('checksum_mismatch')
    const exact = await service.announce(owner, { ...picture, byte_size: png.length })
    expect((await service.put(exact, png.subarray(0, 40))).json.error).toBe('checksum_mismatch')
    expect((await service.put(exact, Buffer.concat([png, png]))).json.error).toBe('payload_too_large')
    expect((await service.call(owner, `storage/files/${exact.json.file_id}`)).json).toMatchObject({ status: 'pending', url: null })
    expect((await service.put(exact, png)).status).toBe(200)
  })

  test('a signed address works once, for its upload alone, as it was made, and until its time', async () => {
    const [one, two] = [
      await service.announce(owner, { ...picture, byte_size: png.length }),
      await service.announce(owner, { ...picture, byte_size: png.length }),
    ]
    const url = new URL(one.json.upload.url)
    const tampered = [
      url.href.replace(one.json.id, two.json.id),
      url.href.replace(/expires=\d+/, (all) => `${all}0`),
      url.href.replace(/signature=.{4}/, 'signature=AAAA'),
      url.href.replace(/&signature=.*/, ''),
      `${url.href}&expires=9999999999`,
      url.href.replace(one.json.id, 'upl_nothing'),
    ]
    for (const address of tampered) {
      const reply = await request(address, { method: 'PUT', body: new Uint8Array(png) })
      expect([reply.status, reply.json.error, reply.headers.get('www-authenticate')]).toEqual([403, 'signature_invalid', null])
    }
    expect((await service.put(one, png)).status).toBe(200)
    expect((await service.put(one, png)).json.error).toBe('signature_invalid')
  })

  test('one of twenty concurrent uploads is accepted', async () => {
    const upload = await service.announce(owner, { ...document, byte_size: 100_000 })
    const replies = await Promise.all(Array.from({ length: 20 }, () => service.put(upload, pdf(100_000))))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(19).fill(403)])
  })

  test('a learner brings a picture of themselves and nothing else, and sees what is theirs', async () => {
    expect((await service.announce(learner, { ...picture, byte_size: png.length })).json.error).toBe('access_denied')
    expect((await service.form(learner, { purpose: 'image' }, { bytes: png, name: 'x.png', type: 'image/png' })).json.error).toBe(
      'access_denied',
    )
    const mine = await service.bring(learner, png, { ...picture, purpose: 'avatar' })
    expect(mine.status).toBe(200)
    expect((await service.call(learner, 'storage/files')).json.data.map(({ id }: { id: string }) => id)).toEqual([mine.json.id])
    expect((await service.call(other, `storage/files/${mine.json.id}`)).status).toBe(404)
    expect((await service.call(other, `storage/files/${mine.json.id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await service.call(owner, `storage/files/${mine.json.id}`)).status).toBe(200)
    expect((await service.call(learner, `storage/files/${mine.json.id}`, { method: 'DELETE' })).status).toBe(204)
  })

  test('a disabled person cannot upload', async () => {
    const upload = await service.announce(other, { ...picture, purpose: 'avatar', byte_size: png.length })
    await service.database.sql.query('UPDATE account SET disabled_at = now() WHERE email = $1', [other])
    expect((await service.put(upload, png)).json.error).toBe('signature_invalid')
  })

  test('a file that is in use stays, with word of where; staff can force it out', async () => {
    const file = await service.bring(lecturer, png, picture)
    const course = await service.call(lecturer, 'courses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Looms', cover_image: { file_id: file.json.id } }),
    })
    const before = await used()
    const remove = (email: string, query = '') => service.call(email, `storage/files/${file.json.id}${query}`, { method: 'DELETE' })
    const kept = await remove(lecturer)
    expect([kept.status, kept.json.error, kept.json.details[0].meta]).toEqual([
      409,
      'resource_in_use',
      { type: 'course', id: course.json.id },
    ])
    expect((await remove(lecturer, '?force=true')).json.error).toBe('access_denied')
    expect((await remove(owner, '?force=true')).status).toBe(204)
    expect((await service.call(owner, `courses/${course.json.id}`)).json.cover_image).toBeNull()
    expect((await request(file.json.url)).status).toBe(404)
    expect(await used()).toBe(before - png.length)
  })

  test('bytes that break off leave nothing behind, and can be sent again', async () => {
    const upload = await service.announce(owner, { ...document, byte_size: 1_000_000 })
    const ending = new AbortController()
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(pdf(500_000)))
      },
    })
    const sending = fetch(upload.json.upload.url, {
      method: 'PUT',
      body,
      signal: ending.signal,
      headers: { 'content-length': '1000000' },
      duplex: 'half',
    } as RequestInit).catch(() => 'broken')
    const status = async () => (await service.call(owner, `storage/uploads/${upload.json.id}`)).json.status
    await until(async () => (await status()) === 'receiving', { what: 'the bytes to be on their way' })
    ending.abort()
    await sending
    await until(async () => (await status()) === 'pending', { what: 'the upload to be free again' })
    expect((await service.put(upload, pdf(1_000_000))).status).toBe(200)
  })
})
