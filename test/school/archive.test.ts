import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { OperationOf } from '../../src/engine/declare/operations.ts'
import { membersOf, unwrapped } from '../../src/engine/declare/views.ts'
import { createSubjects, type Subjects } from './derived/createSubjects.ts'
import { actor, everyWrite } from './derived/everyWrite.ts'
import { describeDemoOn } from './describeDemo.ts'

const actions = everyWrite.filter((operation): operation is OperationOf<'action'> => operation.kind === 'action')
const named = (name: string) => actions.filter((operation) => operation.name === name)
/** Returns the members of a body that are times. */
const timesIn = (input: OperationOf<'action'>['input']): string[] =>
  Object.entries(input ? membersOf(input) : {}).flatMap(([name, schema]) => (unwrapped(schema) instanceof z.ZodISODateTime ? [name] : []))
/** Returns the names of the fields, and of the members of objects in them. */
const namesIn = (schema: z.ZodObject): string[] =>
  Object.entries(membersOf(schema)).flatMap(([name, field]) => {
    const inner = unwrapped(field)
    return inner instanceof z.ZodObject ? [name, ...namesIn(inner)] : [name]
  })
const sibling = (operation: OperationOf<'action'>, name: string): OperationOf<'action'> | undefined =>
  actions.find((one) => one.resource === operation.resource && one.name === name)

/** Texts that are restored as drafts, so that somebody reads them before they are published again. */
const restoredAsDrafts = ['post', 'page']

test.each(actions.filter(({ input }) => timesIn(input).length > 0))('$id calls a time as the field that it sets', ({ input, resource }) => {
  for (const name of timesIn(input)) expect(namesIn(resource.schema)).toContain(name)
})

describeDemoOn('first', 'on $name', (api) => {
  let subjects: Subjects
  beforeAll(() => {
    subjects = createSubjects(api)
  })

  const call = (operation: OperationOf<'action'> | undefined, id: string) =>
    api.send(operation ? subjects.addressOf(operation, id) : '/none', { as: actor, method: 'POST', body: {} })

  test.each(named('archive'))('restore undoes $id', async (archive) => {
    const { object } = archive.resource
    const restore = sibling(archive, 'restore')
    const id = await subjects.subjectOf(archive)
    const before = await api.get(subjects.addressOf(archive, id).replace(/\/archive$/, ''), { as: actor })
    expect(before.status).toBe(200)
    expect((await call(archive, id)).json).toMatchObject({ status: 'archived' })
    const restored = await call(restore, id)
    expect([object, restored.status]).toEqual([object, 200])
    expect(restored.json).toMatchObject({ id, status: restoredAsDrafts.includes(object) ? 'draft' : before.json.status })
    expect('archived_at' in restored.json ? restored.json.archived_at : null).toBeNull()
    expect((await call(restore, id)).headers.get('etag')).toBe(restored.headers.get('etag'))
  })

  test.each(named('publish'))('unpublish undoes $id', async (publish) => {
    const id = await subjects.subjectOf(publish)
    expect((await call(publish, id)).json).toMatchObject({ status: 'published' })
    expect((await call(sibling(publish, 'unpublish'), id)).json).toMatchObject({ id, status: 'draft' })
  })
})
