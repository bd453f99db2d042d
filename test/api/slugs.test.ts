import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exampleBody } from '../../src/framework/declare/exampleOf.ts'
import type { Operation } from '../../src/framework/declare/operations.ts'
import { operationsIn, resources } from '../../src/resources/index.ts'
import { newForm } from '../support/community.ts'
import { databasesToTest } from '../support/databases.ts'
import { untilServed } from '../support/poll.ts'
import { type DemoApi, type Reply, startDemoApi } from './demoApi.ts'
import { createSubjects } from './derived/createSubjects.ts'

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

describe.each(await databasesToTest())('derived slugs, on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
    await newForm(api.database.sql, api.school.id, { slug: 'ask-us' })
  })
  afterAll(() => api.stop())

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

  test.each(actions)('$id: accepts only the id, and says so', async ({ path, method, resource }) => {
    const rows = (await api.get(`/api/v1/${resource.path}?limit=1`, { as })).json.data as { slug: string }[]
    const target = path.replace('{id}', encodeURIComponent(String(rows[0]?.slug)))
    const { status, json } = await api.send(target, { method, as, body: {} })
    expect([status, json.error, json.error_description]).toEqual([
      400,
      'invalid_id',
      expect.stringContaining('A slug is accepted only where it is read, changed or deleted.'),
    ])
  })
})
