// Proves RFC 9110 section 8.7: A changed slug leads to its row for a year, in pages by a redirect, and no other row can take it; those of a deleted row are free

import { beforeAll, expect, test } from 'vitest'
import { sweepFormerSlugs } from '../../src/database/tables/formerSlugs.ts'
import { exampleBody, type Operation } from '../../src/engine/declare/operations.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { newForm } from '../support/community.ts'
import { untilServed } from '../support/poll.ts'
import type { Reply } from './demoApi.ts'
import { createSubjects } from './derived/createSubjects.ts'
import { describeDemo } from './describeDemo.ts'

const as = 'owner@example.com'

/** Every operation that makes a row with a slug. */
const slugged = operationsIn(resources).filter((one): one is Extract<Operation, { kind: 'create' }> => {
  return one.kind === 'create' && one.resource.hasSlug && one.resource.slugFrom !== undefined
})
const copying = operationsIn(resources).filter(({ id, resource }) => id.startsWith('duplicate') && resource.hasSlug)

/** Every read below a row with a slug, and the resource of the row. */
const belowRows = operationsIn(resources).flatMap((one) => {
  const owner = one.kind === 'list' ? one.parent?.resource : one.kind === 'read' ? one.resource : undefined
  const isSimple = one.method === 'GET' && one.path.split('{').length === 2
  return owner?.hasSlug && isSimple ? [{ id: one.id, path: one.path, owner }] : []
})
/** Every action on a row with a slug. */
const actions = operationsIn(resources).filter(
  ({ kind, resource, path }) => kind === 'action' && resource.hasSlug && path.includes('{id}') && path.split('{').length === 2,
)

describeDemo('derived slugs, on $name', (api) => {
  beforeAll(async () => {
    await newForm(api.database.sql, api.school.id, { slug: 'ask-us' })
  })

  const slugsOf = (replies: readonly Reply[]) => replies.map(({ json }) => json.slug)
  const numbered = (base: string, count: number) =>
    Array.from({ length: count }, (_, index) => (index === 0 ? base : `${base}-${index + 1}`))

  test('thirty courses with one title that are created together get thirty slugs', async () => {
    const send = () => untilServed(() => api.send('/api/v1/courses', { as, body: { title: 'Kiln Night School' } }))
    const replies = await Promise.all(Array.from({ length: 30 }, send))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201))
    expect(slugsOf(replies).toSorted()).toEqual(numbered('kiln-night-school', 30).toSorted())
  })

  test.each(slugged)('$id: rows that are created concurrently get different slugs, also next to a chosen slug', async (operation) => {
    const { resource, path, parent } = operation
    expect(parent).toBeUndefined()
    const name = `Same Words ${resource.object.replaceAll('_', ' ')}`
    const base = name.toLowerCase().replaceAll(' ', '-')
    const { body = exampleBody(resource, true) } = await createSubjects(api).sendingFor(operation, '')
    const { slug: _slug, external_id: _key, ...fields } = body as Record<string, unknown>
    const send = (more: object = {}) => api.send(path, { as, body: { ...fields, [resource.slugFrom as string]: name, ...more } })
    const [chosen, ...others] = await Promise.all([send({ slug: base }), send(), send({ slug: `${base}-2` }), send(), send(), send()])
    const automatic = others.filter((_, index) => index !== 1)
    expect(automatic.map(({ status, text }) => (status === 201 ? status : text))).toEqual([201, 201, 201, 201])
    expect(new Set(slugsOf(automatic)).size).toBe(4)
    // A chosen slug is stored unchanged, or rejected as taken.
    for (const reply of [chosen, others[1] as Reply]) {
      expect([[201], [409, 'slug_taken']]).toContainEqual(reply.status === 201 ? [201] : [reply.status, reply.json.error])
    }
    const taken = await send({ slug: base })
    expect([taken.status, taken.json.error]).toEqual([409, 'slug_taken'])
  })

  test.each(slugged)('$id: titles in every script have slugs that lead to their rows', async (operation) => {
    const { resource, path } = operation
    const { body = exampleBody(resource, true) } = await createSubjects(api).sendingFor(operation, '')
    const { slug: _slug, external_id: _key, ...fields } = body as Record<string, unknown>
    const send = (more: object) => api.send(path, { as, body: { ...fields, ...more } })
    const titles: [title: string, slug: string][] = [
      ['Đặng Văn Đức', 'dang-van-duc'],
      ['Русский язык', 'russkiy-yazyk'],
      ['日本語入門', '日本語入門'],
      ['दूसरी कक्षा', 'दूसरी-कक्षा'],
      ['🎨🎨', resource.object.replaceAll('_', '-')],
    ]
    for (const [title, slug] of titles) {
      const { status, json } = await send({ [String(resource.slugFrom)]: title })
      expect([status, json.slug]).toEqual([201, slug])
      const found = await api.get(`${path}/${encodeURIComponent(slug)}`, { as })
      expect([found.status, found.json.id]).toEqual([200, json.id])
    }
    const again = await send({ [String(resource.slugFrom)]: '日本語入門' })
    expect([again.status, again.json.slug]).toEqual([201, '日本語入門-2'])
  })

  test.each(slugged)('$id: a sent slug is stored in one form, and refused if it hides something', async (operation) => {
    const { resource, path } = operation
    const { body = exampleBody(resource, true) } = await createSubjects(api).sendingFor(operation, '')
    const { external_id: _key, ...fields } = body as Record<string, unknown>
    const title = { [String(resource.slugFrom)]: 'One form' }
    const send = (slug: string) => api.send(path, { as, body: { ...fields, ...title, slug } })
    const composed = await send('Süd-がく')
    expect([composed.status, composed.json.slug]).toEqual([201, 'sud-がく'])
    const same = await send('SÜD-がく'.normalize('NFD'))
    expect([same.status, same.json.error]).toEqual([409, 'slug_taken'])
    const found = await api.get(`${path}/${encodeURIComponent('Süd-がく'.normalize('NFD'))}`, { as })
    expect([found.status, found.json.id]).toEqual([200, composed.json.id])
    for (const [slug, message] of [
      ['a\u200bb', 'slug: must not contain invisible characters. Remove U+200B.'],
      ['gօօgle', expect.stringContaining('each in one script')],
      ['a b', expect.stringMatching(/such as a-b\.$/)],
    ] as const) {
      const { status, json } = await send(slug)
      expect([status, (json.details as unknown[])[0]]).toEqual([422, expect.objectContaining({ field: 'slug', message })])
    }
  })

  test('umlauts in a slug follow the language of the school', async () => {
    const title = 'Töpfern für Anfänger'
    const english = await api.send('/api/v1/courses', { as, body: { title } })
    expect(english.json.slug).toBe('topfern-fur-anfanger')
    const locale = (await api.get('/api/v1/school', { as })).json.locale
    await api.database.sql.query('UPDATE school SET locale = $1 WHERE id = $2', ['de-AT', api.school.id])
    const german = await api.send('/api/v1/courses', { as, body: { title } })
    await api.database.sql.query('UPDATE school SET locale = $1 WHERE id = $2', [locale, api.school.id])
    expect(german.json.slug).toBe('toepfern-fuer-anfaenger')
  })

  test.each(slugged)('$id: a changed slug leads to its row for a year, and no other row can take it', async (operation) => {
    const { resource, path } = operation
    const { body = exampleBody(resource, true) } = await createSubjects(api).sendingFor(operation, '')
    const { external_id: _key, ...fields } = body as Record<string, unknown>
    const name = `Moving ${resource.object.replaceAll('_', ' ')}`
    const first = `first-${resource.object.replaceAll('_', '-')}`
    const second = `second-${resource.object.replaceAll('_', '-')}`
    const create = (slug?: string) => api.send(path, { as, body: { ...fields, [String(resource.slugFrom)]: name, ...(slug && { slug }) } })
    const created = await create(first)
    expect(created.status).toBe(201)
    const id = String(created.json.id)
    let tag = String(created.headers.get('etag'))
    const rename = async (row: string, slug: string) => {
      const current = row === id ? tag : String((await api.get(`${path}/${row}`, { as })).headers.get('etag'))
      const reply = await api.send(`${path}/${row}`, { method: 'PATCH', as, headers: { 'if-match': current }, body: { slug } })
      if (row === id && reply.status === 200) tag = String(reply.headers.get('etag'))
      return reply
    }
    expect((await rename(id, second)).json.slug).toBe(second)

    const old = await api.get(`${path}/${first}`, { as })
    expect([old.status, old.json.id, old.json.slug]).toEqual([200, id, second])
    expect(old.headers.get('content-location')).toBe(`${path}/${second}`)
    expect((await api.get(`${path}/${second}`, { as })).headers.get('content-location')).toBeNull()

    const other = await create(first)
    expect([other.status, other.json.error]).toEqual([409, 'slug_taken'])
    const another = await create()
    expect(another.status).toBe(201)
    const refused = await rename(String(another.json.id), first)
    expect([refused.status, refused.json.error]).toEqual([409, 'slug_taken'])

    expect((await rename(id, first)).json.slug).toBe(first)
    expect((await api.get(`${path}/${second}`, { as })).json.slug).toBe(first)
    const expire = "UPDATE former_slug SET expires_at = now() - interval '1 second' WHERE school_id = $1 AND slug = $2"
    await api.database.sql.query(expire, [api.school.id, second])
    expect((await api.get(`${path}/${second}`, { as })).status).toBe(404)
    expect((await rename(String(another.json.id), second)).json.slug).toBe(second)
  })

  test('a generated slug is never the former slug of another row', async () => {
    const { json } = await api.send('/api/v1/courses', { as, body: { title: 'Left behind' } })
    await api.send(`/api/v1/courses/${json.id}`, { method: 'PATCH', as, body: { slug: 'moved-on' } })
    expect((await api.send('/api/v1/courses', { as, body: { title: 'Left behind' } })).json.slug).toBe('left-behind-2')
  })

  test('the slugs of a deleted row are free, and lead nowhere', async () => {
    const { json } = await api.send('/api/v1/courses', { as, body: { title: 'Gone', slug: 'gone-before' } })
    const { headers } = await api.send(`/api/v1/courses/${json.id}`, { method: 'PATCH', as, body: { slug: 'gone-now' } })
    const removed = { method: 'DELETE', as, headers: { 'if-match': String(headers.get('etag')) } }
    expect((await api.send('/api/v1/courses/gone-now', removed)).status).toBe(204)
    for (const slug of ['gone-before', 'gone-now']) expect((await api.get(`/api/v1/courses/${slug}`, { as })).status).toBe(404)
    expect((await api.send('/api/v1/courses', { as, body: { title: 'New', slug: 'gone-before' } })).status).toBe(201)
  })

  test('expired former slugs are removed', async () => {
    await api.database.sql.query("UPDATE former_slug SET expires_at = now() - interval '1 second' WHERE school_id = $1", [api.school.id])
    expect(await sweepFormerSlugs(api.database.kysely, 1)).toBe(1)
    while ((await sweepFormerSlugs(api.database.kysely, 100)) > 0);
    expect(await api.database.sql.query('SELECT 1 FROM former_slug WHERE school_id = $1', [api.school.id])).toEqual([])
  })

  test.each(copying)('$id: copies that are made together get different slugs', async (operation) => {
    const creation = slugged.find(({ resource }) => resource === operation.resource) as Operation
    const sending = await createSubjects(api).sendingFor(creation, '')
    const { slug: _slug, ...fields } = (sending.body ?? {}) as Record<string, unknown>
    const { json } = await api.send(creation.path, { as, body: fields })
    const copies = await Promise.all(
      Array.from({ length: 5 }, () => api.send(operation.path.replace('{id}', String(json.id)), { as, body: {} })),
    )
    expect(copies.map(({ status, text }) => (status === 201 ? status : text))).toEqual(copies.map(() => 201))
    expect(new Set(slugsOf(copies)).size).toBe(5)
  })

  test.each(belowRows)('$id: accepts the slug of the row as well as its id', async ({ path, owner }) => {
    const rows = (await api.get(`/api/v1/${owner.path}?limit=1`, { as })).json.data as { id: string; slug: string }[]
    const [row] = rows
    if (!row) throw new Error(`the demo has no ${owner.name}`)
    const [byId, bySlug] = await Promise.all(
      [row.id, row.slug].map((key) => api.get(path.replace(/\{\w+\}/, encodeURIComponent(key)), { as })),
    )
    expect([byId?.status, bySlug?.status]).toEqual([200, 200])
    expect(bySlug?.json).toEqual(byId?.json)
  })

  test.each(actions)('$id: accepts the slug of the row as well as its id', async ({ path, method, resource }) => {
    const rows = (await api.get(`/api/v1/${resource.path}?limit=1`, { as })).json.data as { id: string; slug: string }[]
    const [row] = rows
    if (!row) throw new Error(`the demo has no ${resource.name}`)
    const send = (key: string) =>
      api.send(path.replace('{id}', encodeURIComponent(key)), {
        method,
        as,
        headers: { 'if-match': '*' },
        ...(method !== 'DELETE' && { body: { no_such_member: 1 } }),
      })
    expect((await send('no-such-row')).json.error).toBe('not_found')
    const [byId, bySlug] = [await send(row.id), await send(row.slug)]
    expect([bySlug.status, bySlug.json.error, bySlug.json.details]).toEqual([byId.status, byId.json.error, byId.json.details])
    expect(['not_found', 'invalid_id']).not.toContain(byId.json.error)
  })

  test('an action by the slug changes the row, and rows are created under a slug', async () => {
    const course = (await api.send('/api/v1/courses', { as, body: { title: 'Named by its slug' } })).json
    const section = await api.send(`/api/v1/courses/${course.slug}/sections`, { as, body: { title: 'First' } })
    expect([section.status, section.json.course_id]).toEqual([201, course.id])
    const copy = await api.send(`/api/v1/courses/${course.slug}/duplicate`, { as, body: {} })
    expect([copy.status, copy.json.title]).toEqual([201, expect.stringContaining('Named by its slug')])
  })
})
