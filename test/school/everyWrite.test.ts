import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { Audience } from '../../src/base/caller.ts'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { apiPath, type Operation, resourceInResponse } from '../../src/engine/declare/operations.ts'
import { narrowed, writeForm } from '../../src/engine/declare/views.ts'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { newEvent, newPost } from '../support/community.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { newFile } from '../support/files.ts'
import { newCertificates, newEnrollments } from '../support/learners.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { newSchool } from '../support/rows.ts'
import { newPerson, newProduct, newUses } from '../support/shop.ts'
import { allScopes, now, type Reply, type SendOptions, startDemoApi } from './demoApi.ts'
import { createSubjects, type Subjects } from './derived/createSubjects.ts'
import { actor, actorOf, everyWrite, inputOf, namesRow, resourceOnPath, withMatch } from './derived/everyWrite.ts'
import { isTestedElsewhere } from './derived/exceptions.ts'
import { checksVersion, type Request, takesForm, takesJson, wrongs } from './wrongs.ts'

const people = [
  ['learner', 'learner001@example.org'],
  ['lecturer', 'lecturer2@example.com'],
  ['staff', actor],
] as const satisfies readonly (readonly [Audience, string])[]

/** Returns the schema of a response that is not a row. */
const outputOf = (operation: Operation): z.ZodObject | undefined =>
  operation.kind === 'action' || operation.kind === 'collection' ? operation.rules.output : undefined

/** Returns the fields of the operation's input with their rules. */
function fieldsOf(operation: Operation): Record<string, z.ZodType> {
  const { resource, kind } = operation
  if (kind === 'action' || kind === 'collection') return (inputOf(operation)?.shape ?? {}) as Record<string, z.ZodType>
  const writable = resource.writable.filter(({ isCreateOnly, isUpdateOnly }) => (kind === 'create' ? !isUpdateOnly : !isCreateOnly))
  return { ...Object.fromEntries(writable.map(({ field }) => [field, resource.schema.shape[field] as z.ZodType])), ...resource.inputs }
}

/** Each field with a value that its schema refuses, and one field that is not there. */
function allWrong(operation: Operation): Record<string, unknown> {
  const wrong = Object.entries(fieldsOf(operation)).map(([field, schema]) => {
    const values = [{ no_such: { member: true } }, 5, 'no such value']
    return [field, values.find((value) => !writeForm(schema, 'staff').safeParse(value).success)]
  })
  return { ...Object.fromEntries(wrong), no_such_field: 1 }
}

/** Returns options whose If-Match matches any version of the row. */
const asAny = (as: string): SendOptions => withMatch<SendOptions>({ as })

const all = operationsIn(resources)

/** Returns the methods of all operations at this path, because several operations can share it. */
const methodsAt = (path: string): string[] =>
  all.filter((operation) => new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)).map(({ method }) => method)

const databases = await databasesToTest()

/** One write of each kind. Checks before the write run the same code on every database. */
const ofEachSort: ReadonlySet<Operation> = new Set([
  ...new Map(everyWrite.toReversed().map((one) => [`${one.kind} ${one.method} ${namesRow(one)} ${takesForm(one)}`, one])).values(),
])

describe.each(databases)('on $name', ({ name, open }) => {
  const api = duringTests(async () => startDemoApi(await open()))
  let subjects: Subjects
  beforeAll(async () => {
    subjects = createSubjects(api)
    const { database } = api
    const other = { id: await newSchool(database.sql), slug: 'other', issuer: 'https://other.example' }
    await makeDemoSchool(database, { school: other, now, hashPassword: async () => '$argon2id$none', only: 'catalogue' })
    await newFile(database.sql, other.id)
    await database.sql.query("UPDATE person SET is_member = true WHERE school_id = $1 AND email = 'admin1@example.com'", [api.school.id])
    const plan = await newPlan(database.sql, other.id)
    await newSubscription(database.sql, other.id, { ...plan, personId: await newPerson(database.sql, other.id) })
    await newProduct(database.sql, other.id)
    const rows = await database.sql.query<{ person: string; course: string }>(
      'SELECT person.id AS person, course.id AS course FROM person, course WHERE person.school_id = $1 AND course.school_id = $1 LIMIT 1',
      [other.id],
    )
    await newEnrollments(database.sql, other.id, [rows[0]?.person as string], [rows[0]?.course as string])
    await newCertificates(database.sql, other.id)
    await newEvent(database.sql, other.id)
    await newUses(database.sql, other.id, 1)
    await newPost(database.sql, other.id)
  })

  const count = async (table: 'audit_log' | 'change_log'): Promise<number> =>
    (await api.database.sql.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE school_id = $1`, [api.school.id]))[0]?.n ??
    0
  const traces = async (): Promise<[number, number]> => [await count('audit_log'), await count('change_log')]

  const isRefusedHere = (operation: Operation): boolean => name !== 'embedded' || databases.length === 1 || ofEachSort.has(operation)
  const isDoneHere = (operation: Operation): boolean => !isTestedElsewhere(operation)

  describe.each(everyWrite.filter((one) => isRefusedHere(one) || isDoneHere(one)))('$id', (operation) => {
    const { method, scope, roles, resource, successStatus } = operation
    const send = (id: string, options: SendOptions = {}): Promise<Reply> =>
      api.send(subjects.addressOf(operation, id), { method, as, ...options })
    const as = actorOf(operation)
    let subject: Promise<string> | undefined
    // A rejected request leaves the row as it is, so all of them share one row.
    const untouched = (): Promise<string> => {
      subject ??= subjects.subjectOf(operation)
      return subject
    }

    if (isRefusedHere(operation)) refusals()
    if (isDoneHere(operation)) effects()

    function refusals(): void {
      test('asks for a token without challenging, and names the scope that it needs', async () => {
        const reply = await send(await untouched(), { as: undefined })
        expect(reply).toMatchObject({
          status: 403,
          json: { error: 'access_denied', details: [{ code: 'scope_needed', meta: { required_scope: scope } }] },
        })
        expect(reply.headers.get('www-authenticate')).toBeNull()
        expect(reply.headers.get('cache-control')).toBe('no-store')
      })

      test(`refuses a token without ${scope} and names it in the challenge (RFC 6750 section 3.1)`, async () => {
        const reply = await send(await untouched(), { scopes: allScopes.filter((name) => name !== scope) })
        expect(reply).toMatchObject({ status: 403, json: { error: 'insufficient_scope' } })
        expect(reply.headers.get('www-authenticate')).toMatch(new RegExp(`^Bearer .*error="insufficient_scope".*scope="${scope}"`))
      })

      test('refuses roles that it is not for, whatever the token opens', async () => {
        const id = await untouched()
        for (const [audience, as] of people.filter(([audience]) => !roles.includes(audience))) {
          const reply = await send(id, { as, body: { no_such_field: 1 } })
          expect([audience, reply.status, reply.json.error]).toEqual([audience, 403, 'access_denied'])
          expect(reply.headers.get('www-authenticate')).toBeNull()
        }
      })

      test('reports the first of several errors in a fixed order, and a rejected request leaves no trace', async () => {
        const id = await untouched()
        const start = await traces()
        const present = wrongs.filter(({ applies }) => applies(operation))
        for (const [index, { error, status }] of present.entries()) {
          const request = present
            .slice(index)
            .toReversed()
            .reduce<Request>(
              (spoilt, { spoil }) => spoil(spoilt, operation),
              withMatch({ path: '', id, as, ...(takesJson(operation) && { body: {} }) }),
            )
          const { path, id: asked, ...options } = request
          const reply = await api.send(subjects.addressOf(operation, asked) + path, { method, ...options })
          if (status === 422) expect((reply.json.details as { field: string }[]).map(({ field }) => field)).toContain('no_such_field')
          else expect([error, reply.json.error]).toEqual([error, error])
          expect([error, reply.status]).toEqual([error, status])
          if (error.startsWith('precondition')) expect(reply.headers.get('etag')).toMatch(/^"\d+-[os]-[0-9a-f]{8}"$/)
        }
        expect(await traces()).toEqual(start)
      })

      test('refuses other methods and names the right ones, without asking for a token', async () => {
        const path = subjects.addressOf(operation, toPublicId(resource.idPrefix, newId()))
        const taken = methodsAt(path)
        const unused = ['PUT', 'DELETE', 'PATCH', 'POST', 'GET'].find((one) => !taken.includes(one)) as string
        const reply = await api.send(path, { method: unused })
        expect([reply.status, reply.json.error]).toEqual([405, 'method_not_allowed'])
        const allowed = (reply.headers.get('allow') ?? '').split(', ')
        expect(allowed).toEqual(expect.arrayContaining(taken))
        expect(allowed).not.toContain(unused)
      })

      if (namesRow(operation)) {
        test('answers 404 for a record that the caller may not see, as for none', async () => {
          const none = toPublicId(resourceOnPath(operation).idPrefix, newId())
          const hidden: [string, string][] = [[actor, await subjects.foreignId(resourceOnPath(operation))]]
          for (const [audience, as] of people) {
            if (audience !== 'staff' && roles.includes(audience)) hidden.push([as, await subjects.freshRow(operation)])
          }
          for (const [by, id] of hidden) {
            const [asked, nothing] = [await send(id, asAny(by)), await send(none, asAny(by))]
            const isSeen = (await api.get(`${apiPath}/${resourceOnPath(operation).path}/${id}`, { as: by })).status === 200
            expect([by, asked.status, nothing.status]).toEqual([by, isSeen ? 403 : 404, 404])
            if (!isSeen) expect(asked.text).toBe(nothing.text)
          }
        })
      }

      if (takesJson(operation)) {
        test('takes an object and nothing else', async () => {
          const id = await untouched()
          const start = await traces()
          for (const body of ['[1]', '"text"', '5', 'true', 'null']) {
            const reply = await send(id, withMatch({ body }))
            expect([body, reply.status, reply.json.error]).toEqual([body, 422, 'validation_failed'])
          }
          expect(await traces()).toEqual(start)
        })

        test('names an unknown field with the nearest known one, and lists every invalid field together', async () => {
          const id = await untouched()
          const [known] = Object.keys(fieldsOf(operation))
          if (known !== undefined) {
            const reply = await send(id, withMatch({ body: { [`${known}x`]: 1 } }))
            const details = reply.json.details as { field: string; meta?: object }[]
            expect(details.find(({ field }) => field === `${known}x`)).toMatchObject({ code: 'unknown_field', meta: { nearest: known } })
          }
          const body = allWrong(operation)
          const reply = await send(id, withMatch({ body }))
          expect(reply.status).toBe(422)
          const named = (reply.json.details as { field: string }[]).map(({ field }) => field.split('.')[0])
          expect(named).toEqual(expect.arrayContaining(Object.keys(body)))
        })
      }

      if (method === 'POST') {
        test('takes an Idempotency-Key of 255 visible characters and no other', async () => {
          const id = await untouched()
          for (const key of ['k'.repeat(256), 'tab\there', 'umlaut-ü', '""']) {
            const sending = await subjects.sendingFor(operation, id)
            const reply = await send(id, withMatch({ ...sending, headers: { ...sending.headers, 'idempotency-key': key } }))
            expect([key, reply.status, reply.json.error]).toEqual([key, 400, 'invalid_request'])
          }
        })
      }
    }

    function effects(): void {
      test('does it once, says what it did as its schema promises, and leaves one trace', async () => {
        const id = await subjects.subjectOf(operation)
        const sending = await subjects.sendingFor(operation, id)
        const headers: Record<string, string> = { ...sending.headers }
        if (checksVersion(operation)) {
          const stale = await send(id, withMatch(sending, '"999999-s"'))
          expect(stale.status).toBe(412)
          headers['if-match'] = stale.headers.get('etag') as string
        }
        if (method === 'POST') headers['idempotency-key'] = `${operation.id}-`.padEnd(255, 'k')
        const [audits, changes] = await traces()
        const done = await send(id, { ...sending, headers })
        expect([done.status, done.status < 400 || done.text]).toEqual([successStatus, true])
        expect(done.headers.get('idempotent-replayed')).toBeNull()
        await expectAnswer(operation, done)

        const [auditsAfter, changesAfter] = await traces()
        expect(auditsAfter - audits).toBe(1)
        const [entry] = await api.database.sql.query<{ details: object }>(
          'SELECT client_id, details FROM audit_log WHERE school_id = $1 ORDER BY id DESC LIMIT 1',
          [api.school.id],
        )
        const row = (done.status === 201 ? done.json.id : id || undefined) as string | undefined
        expect(entry).toMatchObject({
          client_id: 'cli_test',
          details: {
            operation: operation.id,
            scope,
            role: as === actor ? 'owner' : 'admin',
            resource: { type: resource.object, ...(row !== undefined && { id: row }) },
          },
        })
        expect(changesAfter - changes).toBeGreaterThanOrEqual(1)

        if (method === 'POST') {
          const again = await send(id, { ...sending, headers })
          expect([again.status, again.text, again.headers.get('etag'), again.headers.get('location')]).toEqual([
            done.status,
            done.text,
            done.headers.get('etag'),
            done.headers.get('location'),
          ])
          expect(again.headers.get('idempotent-replayed')).toBe('true')
          const other = takesForm(operation)
            ? { ...sending, body: String(sending.body).replace('GIF89a', 'GIF87a') }
            : { body: { other: 1 } }
          const reused = await send(id, { ...other, headers })
          if (!takesForm(operation)) expect([reused.status, reused.json.error]).toEqual([422, 'idempotency_key_reused'])
          expect(await traces()).toEqual([auditsAfter, changesAfter])
        }
      })

      const keepsRow = ['update', 'replace', 'action'].includes(operation.kind) && successStatus === 200
      if (keepsRow || (operation.kind === 'remove' && successStatus === 202)) {
        test('answers what is in effect already as it is', async () => {
          const id = await subjects.subjectOf(operation)
          const sending = await subjects.sendingFor(operation, id)
          const first = await send(id, withMatch(sending))
          expect(first.status).toBe(successStatus)
          const start = await traces()
          const second = await send(id, withMatch(sending))
          expect(second.status).toBe(successStatus)
          const [version] = (first.headers.get('etag') as string).split('-')
          expect(second.headers.get('etag')?.split('-')[0]).toBe(version)
          // A response with its own schema may count the changes.
          if (outputOf(operation) === undefined) expect(second.text).toBe(first.text)
          expect(await traces()).toEqual(start)
        })
      }
    }
  })

  /** Checks that the response matches the operation's schema exactly, and that a created row exists at its URL. */
  async function expectAnswer(operation: Operation, reply: Reply): Promise<void> {
    if (operation.successStatus === 204) {
      expect(reply.text).toBe('')
      return
    }
    const output = outputOf(operation)
    const { schemas: byView, isPart } = resourceInResponse(operation)
    const schemas = output ? [narrowed(output, 'staff')] : [byView.staff, byView.own]
    const results = schemas.map((schema) => schema.safeParse(reply.json))
    expect(results.find(({ success }) => success) ?? results[0]?.error).toMatchObject({ success: true })
    if (operation.successStatus !== 201 || isPart || operation.kind === 'collection' || !operation.resource.operations.get) return
    const location = reply.headers.get('location') as string
    expect(location).toBe(`${api.school.issuer}${apiPath}/${operation.resource.path}/${reply.json.id}`)
    const read = await api.get(new URL(location).pathname, { as: actorOf(operation) })
    expect([read.status, read.text, read.headers.get('etag')]).toEqual([200, reply.text, reply.headers.get('etag')])
  }
})
