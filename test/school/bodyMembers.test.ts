import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { apiPath, exampleBody, type Operation } from '../../src/engine/declare/operations.ts'
import { writeForm } from '../../src/engine/declare/views.ts'
import { bodySchema } from '../../src/engine/output/publishedSchemas.ts'
import { sendablePart } from '../../src/engine/write/parseBody.ts'
import { openTestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { type Reply, startDemoApi } from './demoApi.ts'
import { createSubjects, type Subjects } from './derived/createSubjects.ts'
import { actorOf, everyWrite, withMatch } from './derived/everyWrite.ts'
import { takesForm } from './wrongs.ts'

/** Codes that say: the operation does not take this member at all. */
const refusals = ['unknown_field', 'immutable_field', 'read_only_field']
const changes = everyWrite.filter(({ kind }) => kind === 'update' || kind === 'replace')
const creations = everyWrite.filter((operation) => operation.kind === 'create' && !takesForm(operation))

/** Returns the schema of an input member of a resource: a field, or an input that responses do not contain. */
const schemaOf = ({ resource }: Operation, member: string): z.ZodType =>
  (resource.inputs[member] ?? resource.schema.shape[member]) as z.ZodType

const listed = (operation: Operation): string[] => Object.keys(bodySchema(operation)?.shape ?? {})
const createOnly = ({ resource }: Operation): string[] => [
  ...resource.writable.filter(({ isCreateOnly }) => isCreateOnly).map(({ field }) => field),
  ...Object.entries(resource.inputs).flatMap(([name, input]) => (input.meta()?.createOnly ? [name] : [])),
]

describe('bodies of operations, member by member', async () => {
  const api = duringTests(async () => startDemoApi(await openTestDatabase()))
  let subjects: Subjects
  beforeAll(() => {
    subjects = createSubjects(api)
  })

  const entries = async (): Promise<number> =>
    (await api.database.sql.query<{ n: number }>('SELECT count(*)::int AS n FROM change_log WHERE school_id = $1', [api.school.id]))[0]
      ?.n ?? 0
  const versionIn = ({ headers }: Reply): string | undefined => headers.get('etag')?.split('-')[0]
  const codesOf = ({ json }: Reply, member: string): string[] =>
    ((json.details ?? []) as { field?: string; code: string }[]).filter(({ field }) => field === member).map(({ code }) => code)
  const withoutTime = ({ json: { updated_at: _at, ...rest } }: Reply): object => rest

  describe.each(changes)('$id', (operation) => {
    const as = actorOf(operation)
    const { resource, method } = operation
    const read = (id: string): Promise<Reply> => api.get(`${apiPath}/${resource.path}${id && `/${id}`}`, { as })
    const send = (id: string, body: object): Promise<Reply> => api.send(subjects.addressOf(operation, id), withMatch({ method, as, body }))
    /** The current body: all of it for a replacement. */
    const base = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
      operation.kind === 'update' ? {} : Object.fromEntries(listed(operation).map((member) => [member, currentOf(row, member)]))
    const currentOf = (row: Readonly<Record<string, unknown>>, member: string): unknown =>
      member in resource.inputs
        ? resource.currentInputs[member]?.(row)
        : sendablePart(resource.schema.shape[member] as z.ZodType, row[member], 'staff')

    test('takes every member that its body lists, and leaves no trace where the value is the current one', async () => {
      const id = await subjects.subjectOf(operation)
      for (const member of listed(operation)) {
        const before = await read(id)
        const start = await entries()
        const current = currentOf(before.json, member)
        const reply = await send(id, { ...base(before.json), [member]: current })
        expect([member, reply.status, reply.status === 200 || reply.text]).toEqual([member, 200, true])
        expect([member, versionIn(reply), await entries()]).toEqual([member, versionIn(before), start])
      }
    })

    test('counts a change where something changes, and nothing where nothing does', async () => {
      const id = await subjects.subjectOf(operation)
      for (const member of listed(operation)) {
        const schema = writeForm(schemaOf(operation, member), 'staff')
        const before = await read(id)
        const current = currentOf(before.json, member)
        const values = [schemaOf(operation, member).meta()?.example, `${String(current)} too`, current !== true, []]
        for (const value of values.filter((one) => one !== undefined && schema.safeParse(one).success)) {
          const [earlier, start] = [await read(id), await entries()]
          const reply = await send(id, { ...base(earlier.json), [member]: value })
          expect([member, codesOf(reply, member).filter((code) => refusals.includes(code))]).toEqual([member, []])
          const isChanged = reply.status === 200 && versionIn(reply) !== versionIn(earlier)
          expect([member, value, JSON.stringify(withoutTime(await read(id))) !== JSON.stringify(withoutTime(earlier))]).toEqual([
            member,
            value,
            isChanged,
          ])
          expect([member, (await entries()) > start]).toEqual([member, isChanged])
        }
      }
    })

    test('refuses what is sent only where a row is made, and does not list it', async () => {
      const id = await subjects.subjectOf(operation)
      for (const member of createOnly(operation)) {
        expect([member, listed(operation).includes(member)]).toEqual([member, false])
        const schema = writeForm(schemaOf(operation, member), 'staff')
        const { example: shown, idPrefix = 'crs' } = schemaOf(operation, member).meta() ?? {}
        const example = [shown, toPublicId(idPrefix, newId())].find((one) => schema.safeParse(one).success)
        const [before, start] = [await read(id), await entries()]
        const reply = await send(id, { ...base(before.json), [member]: example })
        expect([member, reply.status, codesOf(reply, member)]).toEqual([member, 422, ['immutable_field']])
        expect([versionIn(await read(id)), await entries()]).toEqual([versionIn(before), start])
      }
    })
  })

  test.each(creations)('$id takes every member that its body lists', async (operation) => {
    const id = await subjects.subjectOf(operation)
    const { rules, resource } = operation as Extract<Operation, { kind: 'create' }>
    if (rules.input) return
    for (const member of listed(operation)) {
      const example = schemaOf(operation, member).meta()?.example ?? null
      // The whole body is invalid, so no row is created. Only the error of this member counts.
      const body = { ...exampleBody(resource, true), [member]: example, no_such_field: 1 }
      const reply = await api.send(subjects.addressOf(operation, id), withMatch({ method: 'POST', as: actorOf(operation), body }))
      expect([member, codesOf(reply, member).filter((code) => refusals.includes(code))]).toEqual([member, []])
    }
  })
})
