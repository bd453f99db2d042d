// Proves RFC 9110 section 13.1.1: An operation succeeds although its effects change its own row, and returns the final ETag; of five callers with one ETag one succeeds

import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fromPublicId, newId, toPublicId } from '../../src/base/ids.ts'
import { defineResource } from '../../src/engine/declare/defineResource.ts'
import { everything } from '../../src/engine/declare/expressions.ts'
import { slug } from '../../src/engine/declare/fields.ts'
import { ifMatchText, type Operation } from '../../src/engine/declare/operations.ts'
import { operationsOf } from '../../src/engine/declare/operationsOf.ts'
import type { Writing } from '../../src/engine/write/writing.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { allScopes, type Reply, type SendOptions, startDemoApi } from './demoApi.ts'

const as = 'owner@example.com'

/** An effect that changes the row of the operation itself, as a tier that follows from subscriptions changes a person. */
const raise = async ({ writer, school }: Writing, { id }: { id: string }): Promise<void> =>
  void (await writer
    .updateTable('lecturer')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('school_id', '=', school.id)
    .where('id', '=', id)
    .execute())

/** A resource in which every operation changes its own row before and after the row is written. */
const turners = defineResource({
  name: 'turners',
  object: 'turner',
  idPrefix: 'tur',
  table: 'lecturer',
  about: 'Who turns bowls.',
  scopes: { read: 'See turners', write: { staff: 'Add and change turners' } },
  schema: z.object({
    slug: slug().meta({ description: 'Readable key.', example: 'ada' }),
    display_name: z.string().min(1).meta({ description: 'Name.', example: 'Ada' }),
    headline: z.string().nullable().meta({ description: 'Line.', example: null }),
    status: z.enum(['active', 'hidden', 'archived']).meta({ description: 'State.', example: 'active' }),
  }),
  writable: ['display_name', 'headline'],
  required: ['display_name'],
  slugFrom: 'display_name',
  sorts: ['display_name'],
  visibility: { anonymous: everything, learner: everything, lecturer: everything, staff: everything },
  operations: {
    list: 'read',
    get: 'read',
    create: { scope: 'write', after: raise },
    update: {
      scope: 'write',
      async before(writing, row) {
        await raise(writing, row)
        return {}
      },
      after: raise,
    },
    replace: {
      scope: 'write',
      async before(writing, row) {
        await raise(writing, row)
        return {}
      },
      after: raise,
    },
    remove: {
      scope: 'write',
      status: 202,
      async instead(writing, row) {
        await raise(writing, row)
        return { status: 'archived' }
      },
      after: raise,
    },
    bulk: {
      scope: 'write',
      keys: ['display_name'],
      lockAll: async () => undefined,
      find: async ({ writer, school }, { display_name }) =>
        (
          await writer
            .selectFrom('lecturer')
            .select('id')
            .where('school_id', '=', school.id)
            .where('display_name', '=', String(display_name))
            .executeTakeFirst()
        )?.id,
    },
  },
  actions: {
    hide: {
      scope: 'write',
      summary: 'Hide a turner',
      from: ['active'],
      to: 'hidden',
      async run(writing, row) {
        await raise(writing, row)
        return {}
      },
      async after(writing, row) {
        await raise(writing, row)
      },
    },
    rename: {
      scope: 'write',
      summary: 'Rename a turner',
      async perform(writing, row) {
        await raise(writing, row)
        return { columns: { display_name: 'Bea' } }
      },
    },
    touch: {
      scope: 'write',
      summary: 'Change a turner by effects alone',
      async perform(writing, row) {
        await raise(writing, row)
        return {}
      },
    },
  },
})

const scopes = [...allScopes, 'turners:read', 'turners:write']
const changing = operationsOf(turners).filter(({ path, method }) => /\{id(_or_slug)?\}/.test(path) && method !== 'GET')
const bodies: Readonly<Record<string, () => object>> = {
  updateTurner: () => ({ headline: newId() }),
  replaceTurner: () => ({ display_name: 'Cleo', headline: newId() }),
}

describe.each(await databasesToTest())('on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open(), operationsIn([...resources, turners])))

  const call = (path: string, options: SendOptions = {}): Promise<Reply> => api.send(`/api/v1${path}`, { as, scopes, ...options })
  const made = (body: object = { display_name: 'Ada' }): Promise<Reply> => call('/turners', { body })
  const perform = ({ id, path, method }: Operation, row: unknown, options: SendOptions = {}): Promise<Reply> =>
    api.send(path.replace(/\{id(_or_slug)?\}/, String(row)), {
      ...{ as, scopes, method },
      ...(method !== 'DELETE' && { body: bodies[id]?.() ?? {} }),
      ...options,
    })
  const versionIn = ({ headers }: Reply): number => Number(/^"(\d+)-/.exec(headers.get('etag') ?? '')?.[1])
  const entries = async (id: unknown): Promise<{ action: string; version: number }[]> =>
    await api.database.sql.query('SELECT action, version FROM change_log WHERE school_id = $1 AND resource_id = $2 ORDER BY id', [
      api.school.id,
      fromPublicId('tur', String(id)),
    ])

  test('a new row whose effects change it is answered with its final version, and recorded first as created', async () => {
    const reply = await made()
    expect([reply.status, versionIn(reply)]).toEqual([201, 2])
    expect(await entries(reply.json.id)).toEqual([{ action: 'created', version: 1 }])
  })

  const unconditional = changing.filter((operation) => ifMatchText(operation) !== 'If-Match required')

  test.each(unconditional)('$id succeeds without If-Match although its effects change its own row', async (operation) => {
    const { json } = await made()
    const reply = await perform(operation, json.id)
    expect([reply.status, reply.text]).toEqual([operation.successStatus, expect.any(String)])
    const read = await call(`/turners/${json.id}`, { method: 'GET' })
    expect([versionIn(reply), reply.text]).toEqual([versionIn(read), read.text])
  })

  test.each(changing)('$id succeeds with the ETag that was read, and answers the final one', async (operation) => {
    const first = await made()
    const reply = await perform(operation, first.json.id, { headers: { 'if-match': first.headers.get('etag') as string } })
    expect(reply.status).toBe(operation.successStatus)
    const again = await perform(operation, first.json.id, { headers: { 'if-match': reply.headers.get('etag') as string } })
    expect([again.status, again.json.error]).toEqual([operation.successStatus, undefined])
    const late = await perform(operation, first.json.id, { headers: { 'if-match': first.headers.get('etag') as string } })
    expect([late.status, late.json.error]).toEqual([412, 'precondition_failed'])
  })

  test.each(changing)('$id by five callers with one ETag: one succeeds, four get 412', async (operation) => {
    const first = await made()
    const headers = { 'if-match': first.headers.get('etag') as string }
    const replies = await Promise.all(Array.from({ length: 5 }, () => perform(operation, first.json.id, { headers })))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([operation.successStatus, 412, 412, 412, 412])
  })

  test('a bulk request succeeds although the effects of each row change that row', async () => {
    const name = newId()
    const items = [{ display_name: name }, { display_name: name, headline: 'once' }, { display_name: name, headline: 'twice' }]
    const reply = await call('/turners/bulk', { body: { mode: 'upsert', items } })
    expect(reply.json).toMatchObject({ results: [{ status: 201 }, { status: 200 }, { status: 200 }] })
  })

  describe.each(['manual', 'comped'] as const)('a person with a running %s subscription', (collection) => {
    const subscriber = async (): Promise<{ member: string; student: string; tag: string }> => {
      const { sql } = api.database
      const { json, headers } = await call('/members', { body: { email: `${newId()}@example.org`, display_name: 'Er' } })
      const personId = fromPublicId('mbr', String(json.id)) as string
      await sql.query('UPDATE person SET is_student = true, tier = $3 WHERE school_id = $1 AND id = $2', [
        api.school.id,
        personId,
        collection === 'comped' ? 'comped' : 'paid',
      ])
      await newSubscription(sql, api.school.id, { ...(await newPlan(sql, api.school.id)), personId, collection })
      return { member: String(json.id), student: toPublicId('std', personId), tag: headers.get('etag') as string }
    }
    const ends = [
      ['DELETE', '/members/{member}?cancel_subscriptions=true', undefined, 204],
      ['DELETE', '/students/{student}?cancel_subscriptions=true', undefined, 204],
      ['POST', '/members/{member}/remove', { cancel_subscriptions: true }, 200],
    ] as const

    test.each(ends)('is ended by %s %s, with and without If-Match', async (method, path, body, status) => {
      for (const isConditional of [false, true]) {
        const { member, student, tag } = await subscriber()
        const address = path.replace('{member}', member).replace('{student}', student)
        const headers: Record<string, string> = isConditional ? { 'if-match': tag } : {}
        const reply = await call(address, { method, body, headers })
        expect([reply.status, reply.json.error]).toEqual([status, undefined])
        const { json } = await call(`/members/${member}`, { method: 'GET' })
        expect(json).toMatchObject({ tier: 'free', status: status === 204 ? 'erased' : 'left' })
        const [log] = await api.database.sql.query<{ feed: number; row: number }>(
          `SELECT max(change_log.version) AS feed, max(person.version) AS row FROM change_log
             JOIN person ON person.school_id = change_log.school_id AND person.id = change_log.resource_id
            WHERE change_log.school_id = $1 AND person.id = $2 AND type = 'student'`,
          [api.school.id, fromPublicId('mbr', member)],
        )
        expect(log?.feed).toBe(log?.row)
      }
    })
  })
})
