import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId } from '../../../src/base/ids.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { owner, png, request, type StorageService, startStorage } from './storageService.ts'

const picture = { filename: 'kiln.png', content_type: 'image/png', purpose: 'image', byte_size: png.length }
const places = 7

describe.each(await databasesToTest())('the storage quota of a school on $name', ({ open }) => {
  let service: StorageService
  const opened = duringTests(open)
  beforeAll(async () => {
    const storage = { quota_bytes: places * png.length + 3, uploads_per_minute: 1000 }
    service = await startStorage({ database: opened.database, server: { storage } })
  })
  afterAll(async () => {
    await service.stop()
  })

  const job = (name: string) => service.app.jobs.find((one) => one.name === name) as (typeof service.app.jobs)[number]
  const query = (statement: string, values: unknown[] = []) => service.database.sql.query(statement, [service.schoolId(), ...values])
  const used = async () => Number(((await query('SELECT bytes FROM storage_usage WHERE school_id = $1'))[0] as { bytes: string }).bytes)

  test('is given to exactly as many as there is room for, and counts what is announced', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => service.announce(owner, picture)))
    const refused = replies.filter(({ status }) => status !== 201)
    expect(replies.length - refused.length).toBe(places)
    expect(new Set(refused.map(({ status, json }) => `${status} ${json.error}`))).toEqual(new Set(['409 quota_exceeded']))
    expect((await service.form(owner, { purpose: 'image' }, { bytes: png, name: 'x.png', type: 'image/png' })).json.error).toBe(
      'quota_exceeded',
    )
    expect(await used()).toBe(places * png.length)
  })

  test('is free again once an announced file has not come in time', async () => {
    await query(`UPDATE upload SET expires_at = now() - interval '2 hours' WHERE school_id = $1`)
    const [first, second] = await Promise.all([job('sweep_files').run(), job('sweep_files').run()])
    expect((first?.removed ?? 0) + (second?.removed ?? 0)).toBe(places)
    expect(await used()).toBe(0)
    expect(await job('sweep_files').run()).toEqual({ removed: 0, trashed: 0 })
  })

  test('an address is past its life when its time has come', async () => {
    const upload = await service.announce(owner, picture)
    await query(`UPDATE upload SET expires_at = now() - interval '1 second' WHERE school_id = $1`)
    expect((await service.put(upload, png)).json.error).toBe('signature_invalid')
    const expired = (await service.call(owner, `storage/uploads/${upload.json.id}`)).json.upload.url
    expect(await request(expired, { method: 'PUT', body: new Uint8Array(png) })).toMatchObject({
      status: 410,
      json: { error: 'upload_expired' },
    })
  })

  test('a file that nothing needs for 30 days is in the trash for 7 days more, and then removed with its bytes; its place is taken until then', async () => {
    const [unused, inUse, fresh] = [
      await service.bring(owner, png, picture),
      await service.bring(owner, png, picture),
      await service.bring(owner, png, picture),
    ]
    const course = await service.call(owner, 'courses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Clay', cover_image: { file_id: inUse.json.id } }),
    })
    expect(course.status).toBe(201)
    for (const file of [unused, inUse]) {
      await query(`UPDATE file SET unused_since = now() - interval '31 days' WHERE school_id = $1 AND id = $2`, [
        fromPublicId('fil', file.json.id),
      ])
    }
    const before = await used()
    expect(await job('sweep_files').run()).toEqual({ removed: 0, trashed: 1 })
    expect((await request(unused.json.url)).status).toBe(404)
    expect((await service.call(owner, `storage/files/${unused.json.id}`)).json).toMatchObject({ status: 'deleted', url: null })
    expect(await used()).toBe(before)
    await query(`UPDATE file SET unused_since = now() - interval '8 days' WHERE school_id = $1 AND status = 'deleted'`)
    expect(await job('sweep_files').run()).toEqual({ removed: 1, trashed: 0 })
    expect((await service.call(owner, `storage/files/${unused.json.id}`)).status).toBe(404)
    expect(await used()).toBe(before - png.length)
    expect([(await request(inUse.json.url)).status, (await request(fresh.json.url)).status]).toEqual([200, 200])
    const waiting = await query('SELECT 1 FROM file_removal WHERE school_id = $1 AND due_at <= now()')
    const [one, two] = await Promise.all([job('remove_bytes').run(), job('remove_bytes').run()])
    expect((one?.removed ?? 0) + (two?.removed ?? 0)).toBe(waiting.length)
    expect(await query('SELECT 1 FROM file_removal WHERE school_id = $1 AND due_at <= now()')).toEqual([])
  })
})
