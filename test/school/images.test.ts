import { expect, test } from 'vitest'
import { fromPublicId, toPublicId } from '../../src/base/ids.ts'
import { newFile } from '../support/files.ts'
import { newSchool } from '../support/rows.ts'
import { describeDemo } from './describeDemo.ts'

const [owner, lecturer] = ['owner@example.com', 'lecturer2@example.com']

describeDemo('a picture of a row on $name', (api) => {
  const picture = async (file: Parameters<typeof newFile>[2] = {}) =>
    toPublicId('fil', await newFile(api.database.sql, api.school.id, file))
  const make = (body: object, as = owner) => api.send('/api/v1/courses', { as, body: { title: 'Spoon carving', ...body } })
  const change = (id: unknown, body: object, as = owner) => api.send(`/api/v1/courses/${id}`, { method: 'PATCH', as, body })
  const fieldErrors = (json: Record<string, unknown>) =>
    ((json.details ?? []) as { field: string; code: string }[]).map(({ field, code }) => [field, code])
  const references = async () =>
    (
      await api.database.sql.query<{ field: string; ref_type: string; ref_id: string; file_id: string }>(
        'SELECT field, ref_type, ref_id, file_id FROM file_reference WHERE school_id = $1',
        [api.school.id],
      )
    ).map(({ ref_id, file_id, field, ref_type }) => [ref_type, toPublicId('crs', ref_id), field, toPublicId('fil', file_id)])
  const accountOf = async (email: string) =>
    (await api.database.sql.query<{ id: string }>('SELECT id FROM account WHERE school_id = $1 AND email = $2', [api.school.id, email]))[0]
      ?.id

  test('is named by its file, shown with address and size, exchanged, and let go; its file knows where it is used', async () => {
    const [first, second] = [await picture({ filename: 'kiln & glaze.webp' }), await picture()]
    const made = await make({ cover_image: { file_id: first, alt: 'A kiln' } })
    expect(made.json.cover_image).toEqual({
      file_id: first,
      url: `${api.school.issuer}/files/${first}/kiln%20%26%20glaze.webp`,
      alt: 'A kiln',
      width: 1600,
      height: 900,
    })
    expect((await api.get(`/api/v1/courses/${made.json.id}`, { as: owner })).text).toBe(made.text)
    expect(await references()).toEqual([['course', made.json.id, 'cover_image', first]])

    const same = await change(made.json.id, { cover_image: { file_id: first } })
    expect([same.text, same.headers.get('etag')]).toEqual([made.text, made.headers.get('etag')])
    const described = await change(made.json.id, { cover_image: { alt: 'Two kilns' } })
    expect(described.json.cover_image).toMatchObject({ file_id: first, alt: 'Two kilns' })
    await change(made.json.id, { cover_image: { file_id: second, alt: null } })
    expect(await references()).toEqual([['course', made.json.id, 'cover_image', second]])

    expect((await change(made.json.id, { cover_image: null })).json.cover_image).toBeNull()
    expect(await references()).toEqual([])
    await change(made.json.id, { cover_image: { file_id: second } })
    expect((await api.send(`/api/v1/courses/${made.json.id}`, { method: 'DELETE', as: owner })).status).toBe(204)
    expect(await references()).toEqual([])
  })

  test('have the alternative text of their file, unless they have their own', async () => {
    const first = await picture()
    await api.database.sql.query('UPDATE file SET alt = $2 WHERE id = $1', [fromPublicId('fil', first), 'A cold kiln'])
    const made = await make({ cover_image: { file_id: first } })
    expect(made.json.cover_image).toMatchObject({ file_id: first, alt: 'A cold kiln' })
    expect((await change(made.json.id, { cover_image: { alt: '' } })).json.cover_image).toMatchObject({ alt: '' })
    expect((await change(made.json.id, { cover_image: { alt: null } })).json.cover_image).toMatchObject({ alt: 'A cold kiln' })
  })

  test('names no file that is missing, of another school, unfinished, private, or of another kind', async () => {
    const elsewhere = toPublicId('fil', await newFile(api.database.sql, await newSchool(api.database.sql)))
    const wrong = [
      toPublicId('fil', '01942bc1-1a80-7000-8000-000000000001'),
      elsewhere,
      await picture({ status: 'pending' }),
      await picture({ visibility: 'private' }),
      await picture({ purpose: 'attachment' }),
    ]
    for (const file_id of wrong) {
      const reply = await make({ cover_image: { file_id } })
      expect([reply.status, reply.json.error, fieldErrors(reply.json)]).toEqual([
        422,
        'invalid_reference',
        [['cover_image.file_id', 'invalid_reference']],
      ])
    }
  })

  test('a lecturer can use their own picture, and keep the present one', async () => {
    const [own, other] = [await picture({ uploaded_by: (await accountOf(lecturer)) ?? null }), await picture()]
    expect(await make({ cover_image: { file_id: other } }, lecturer)).toMatchObject({ status: 422, json: { error: 'invalid_reference' } })
    const made = await make({ cover_image: { file_id: own } }, lecturer)
    expect(made.status).toBe(201)
    await change(made.json.id, { cover_image: { file_id: other } })
    expect((await change(made.json.id, { cover_image: { file_id: other, alt: 'Kept' } }, lecturer)).json.cover_image).toMatchObject({
      file_id: other,
      alt: 'Kept',
    })
  })

  test('address and size are read, never written', async () => {
    const reply = await make({ cover_image: { file_id: await picture(), url: 'https://evil.example/x.png', width: 1 } })
    expect([reply.status, fieldErrors(reply.json)]).toEqual([
      422,
      [
        ['cover_image.url', 'read_only_field'],
        ['cover_image.width', 'read_only_field'],
      ],
    ])
  })
})
