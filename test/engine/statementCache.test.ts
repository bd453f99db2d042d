import { anything, assert, constantFrom, integer, property, record, string, uuid } from 'fast-check'
import { type CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector } from 'kysely'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Caller, roles } from '../../src/base/caller.ts'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { createStatementCache } from '../../src/database/connection/statementCache.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { SchoolQueryCompiler } from '../../src/database/school/schoolParameter.ts'
import { isAmong } from '../../src/database/statements/expressions.ts'
import { queryScopeOf } from '../../src/engine/declare/queryScope.ts'
import { filterCondition, pageStatement, type RowCondition, rowStatement } from '../../src/engine/read/listStatement.ts'
import type { DB } from '../../src/gen/kysely/tables.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { runsOrThorough } from '../support/thorough.ts'

const database = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new SchoolQueryCompiler(),
  },
})

const hostile = [
  "'; DROP TABLE course; --",
  '$1',
  '%_\\',
  '{"a":1}',
  '{1,2}',
  '\u0000',
  '🎓"',
  'null',
  'Marlo@Example.ORG ',
  '3f6d2b1e-9c47-7e58-8a0d-000000000000',
]
const ids = uuid()
const texts = constantFrom(...hostile, 'clay', '')

const callerOf = (kind: Caller['kind'] | (typeof roles)[number], [accountId, personId, lecturerId]: readonly (string | null)[]): Caller =>
  kind === 'anonymous' || kind === 'person'
    ? { kind: 'anonymous' }
    : {
        kind: 'person',
        role: kind,
        accountId: String(accountId),
        personId: personId ?? null,
        lecturerId: lecturerId ?? null,
        scopes: new Set(),
        clientId: 'client',
        grantId: 'grant',
      }

const plain = ({ sql, parameters }: CompiledQuery) => ({ sql, parameters })
const callers = ['anonymous', ...roles] as const
const lists = operationsIn(resources).filter((operation) => operation.kind === 'list')

describe.each(lists.map((list) => [list.id, list] as const))('the statements of %s', (_id, list) => {
  const { resource } = list
  const filters = list.parameters.flatMap(({ name, filter }) => (filter ? [{ name, filter }] : []))

  /** Values of a filter that its schema accepts, or hostile ones of the same type. */
  const valuesOf = ({ filter, operator }: (typeof filters)[number]['filter'], text: string, number: number): unknown[] => {
    const { value } = filter
    if (value instanceof z.ZodBoolean) return [number % 2 === 0]
    if (value instanceof z.ZodEnum) return value.options.slice(0, 1 + (Math.abs(number) % value.options.length))
    if (value instanceof z.ZodNumber) return operator === 'equals' && number % 2 === 0 ? [number, 7] : [number]
    const prefix = value.meta()?.idPrefix
    const many = operator === 'equals' ? 1 + (Math.abs(number) % 3) : 1
    return Array.from({ length: many }, (_, nth) => (prefix === undefined ? `${text}${nth || ''}` : toPublicId(prefix, newId())))
  }

  test.each([undefined, ...filters])('are the same when they are bound as when they are built: $name', async (one) => {
    const statements = createStatementCache()
    const pages = record({
      schoolId: ids,
      who: constantFrom(...callers),
      own: ids,
      hasPerson: constantFrom(true, false),
      hasLecturer: constantFrom(true, false),
      sort: constantFrom(...resource.sorts),
      after: constantFrom('none', 'null', 'text', 'number'),
      parent: ids,
      limit: integer({ min: 1, max: 100 }),
      text: texts,
      number: integer(),
    })
    await assert(
      property(pages, ({ schoolId, who, own, hasPerson, hasLecturer, sort, after, parent, limit, text, number }) => {
        const caller = callerOf(who, [own, hasPerson ? newId() : null, hasLecturer ? newId() : null])
        const scope = queryScopeOf({ resource, schoolId, caller })
        const conditions: RowCondition[] = [
          ...(one ? [filterCondition(one.name, one.filter, { values: valuesOf(one.filter, text, number), caller: scope.caller })] : []),
          ...(list.parent ? [{ shape: 'parent', values: [parent], where: list.parent.where as never }] : []),
        ]
        const value = after === 'null' ? null : after === 'number' ? number : text
        const page = { conditions, sort, limit, after: after === 'none' ? undefined : { id: newId(), value } }
        const built = pageStatement(inSchool(database, schoolId), scope, page)
        const bound = pageStatement(inSchool(database, schoolId), { ...scope, statements }, page)
        expect(plain(bound)).toEqual(plain(built))
        // A value is never a part of the text.
        expect(bound.sql).not.toContain(schoolId)
        const key = { column: 'id', value: text } as const
        expect(plain(rowStatement(inSchool(database, schoolId), { ...scope, statements }, key))).toEqual(
          plain(rowStatement(inSchool(database, schoolId), scope, key)),
        )
      }),
      // Each run builds four statements for each of more than 500 lists and filters.
      { numRuns: runsOrThorough(6, 25) },
    )
  })
})

test('a statement is built once for each shape', () => {
  const statements = createStatementCache()
  const list = lists.find(({ id }) => id === 'listCourses')
  if (!list) throw new Error('there is no list of courses')
  const [sort, other] = list.resource.sorts
  if (!sort || !other) throw new Error('the list has no order')
  const schoolId = newId()
  const read = (limit: number, by = sort, caller: Caller = { kind: 'anonymous' }) =>
    pageStatement(inSchool(database, schoolId), queryScopeOf({ resource: list.resource, schoolId, caller, statements }), {
      conditions: [],
      sort: by,
      limit,
      after: undefined,
    })
  // Common limits are a part of the text: 10, 20, 25 and 50, with the row that shows another page; all others share one text.
  for (let limit = 1; limit <= 50; limit += 1) read(limit)
  expect(statements.built).toBe(8)
  read(20, other)
  for (const role of roles) for (let n = 0; n < 10; n += 1) read(20, sort, callerOf(role, [newId(), newId(), newId()]))
  expect(statements.built).toBe(9 + roles.length)
})

describe('a statement that cannot be shared is built for each request', () => {
  const select = (title: unknown) => database.selectFrom('course').select('id').where('title', '=', String(title))
  const compileTwice = (build: (values: { title?: unknown }) => { compile(): CompiledQuery }) => {
    const statements = createStatementCache()
    const texts = ['one', 'two'].map((title) => plain(statements.compile('shape', { title }, build)))
    return { texts, built: statements.built }
  }

  test('a value inside of another value', () => {
    const { texts: found, built } = compileTwice(({ title }) => select(`%${title}%`))
    expect(found.map(({ parameters }) => parameters)).toEqual([['%one%'], ['%two%']])
    expect(built).toBe(3)
  })

  test('a time that the request does not contain', () => {
    const { built } = compileTwice(() => database.selectFrom('course').select('id').where('created_at', '<', new Date()))
    expect(built).toBe(3)
  })
})

test('no value of any kind changes the text of a shared statement', async () => {
  const statements = createStatementCache()
  const seen = new Set<string>()
  await assert(
    property(string({ unit: 'binary' }), anything(), (title, other) => {
      const list = Array.isArray(other) ? other.map(String) : [title]
      const build = (values: { title?: unknown; list?: unknown }) =>
        database
          .selectFrom('course')
          .select('id')
          .where('title', '=', values.title as string)
          .where((course) => isAmong(course.ref('slug'), values.list as string[]))
      const { sql, parameters } = statements.compile('shape', { title, list }, build)
      seen.add(sql)
      expect(parameters).toEqual([title, list])
    }),
  )
  expect(seen.size).toBe(1)
  expect(statements.built).toBe(1)
})
