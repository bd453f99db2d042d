import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effectsOf } from '../../scripts/documents/effects.ts'
import type { Structure } from '../../scripts/documents/migratedDatabase.ts'
import { nameParts, sharedFile } from '../../scripts/documents/nameParts.ts'
import { renderDatabase } from '../../scripts/documents/renderDatabase.ts'
import { renderResource, sortsWithoutIndex } from '../../scripts/documents/renderResource.ts'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { operationsIn, resources } from '../../src/school/index.ts'

const operations = operationsIn(resources)
const named = (id: string): Operation => operations.find((one) => one.id === id) as Operation

describe('the effects of an operation', () => {
  test('include the e-mail that a function of the domain sends', () => {
    expect([...effectsOf(named('createEnrollment')).emails]).toEqual(['enrolled'])
    expect([...effectsOf(named('analyticsEnrollments')).emails], 'a figure has the name of the e-mail').toEqual([])
    expect([...effectsOf(named('cancelEvent')).emails].toSorted()).toEqual(['event_canceled', 'event_canceled_because'])
  })

  test('include the e-mails that a job sends about them', () => {
    expect([...effectsOf(named('publishPost')).emails]).toEqual(['post_published'])
    expect([...effectsOf(named('publishLesson')).emails]).toEqual(['lessons_published'])
    expect([...effectsOf(named('updateEvent')).emails]).toContain('event_moved')
    expect([...effectsOf(named('unpublishLesson')).emails]).toEqual([])
  })

  test('include the changes of other rows and the tables that are written', () => {
    const { changes, tables } = effectsOf(named('deleteSection'))
    expect([...changes]).toEqual(expect.arrayContaining(['lesson.deleted']))
    expect([...tables]).toEqual(expect.arrayContaining(['lesson', 'certificate']))
  })

  test('of an operation without rules are empty', () => {
    const { emails, audit, changes, tables } = effectsOf(named('getCourse'))
    expect([emails, audit, changes, tables].map(({ size }) => size)).toEqual([0, 0, 0, 0])
  })
})

describe('the page of a resource', () => {
  const publish = named('publishCourse')
  const { resource } = publish
  const table = { name: 'course', columns: [{ name: 'title', type: 'text', isNullable: false }], keys: [], indexes: [], triggers: [] }
  const pageOf = (operation: Operation): string => renderResource(operation.resource, [operation], table)

  test('shows each change of a permission', () => {
    const before = pageOf(publish)
    expect(before).toContain('| `publishCourse` | POST `/courses/{id}/publish` | `courses:write` | lecturer, staff |')
    expect(pageOf({ ...publish, roles: ['staff'] })).not.toBe(before)
    expect(pageOf({ ...publish, scope: 'courses:read' })).not.toBe(before)
    const writable = resource.writable.filter(({ field }) => field !== 'title')
    expect(pageOf({ ...publish, resource: { ...resource, writable } })).not.toBe(before)
  })

  test('names the indexes of a sort, and none if they are missing', () => {
    const keys = '(school_id, title_order, id)'
    const index = { name: 'course_title', keys, isUnique: false, where: null }
    expect(renderResource(resource, [], { ...table, indexes: [index] })).toContain(`| \`title\` | – | – | \`${keys}\` |`)
    expect(pageOf(publish)).toContain('| `title` | – | – | – |')
    expect(sortsWithoutIndex(resource, { ...table, indexes: [index] }).filter((one) => one.includes('by title'))).toEqual([])
    expect(sortsWithoutIndex(resource, table)).toContain(
      'courses can be sorted by title, and no index has this order: add @@index([school_id, title_order, id]) to model course in prisma/schema.prisma, and run npm run migration -- <name>',
    )
  })
})

test('a table without a purpose, and a function without one, are reported with the place for it', () => {
  const table = { name: 'unknown', columns: [], keys: [], indexes: [], triggers: [] }
  const structure = (more: Partial<Structure>): Structure => ({ tables: [], functions: [], ...more })
  expect(() => renderDatabase(structure({ functions: [{ name: 'unknown', signature: 'unknown()' }] }))).toThrow(
    'add the purpose of unknown to scripts/documents/functionPurposes.ts',
  )
  expect(() => renderDatabase(structure({ tables: [table] }))).toThrow('remove it from scripts/documents/functionPurposes.ts')
})

test('printed statements with the parts in place of their names differ in spaces and the quotes of names only', () => {
  const word = fc.constantFrom(
    'select',
    'from',
    'where',
    'and',
    'or',
    'a',
    '"b"',
    "'x and y'",
    ',',
    'join',
    'between',
    '($1)',
    'case',
    'when',
    'limit',
  )
  const text = fc.letrec<{ list: string; nested: string }>((tie) => ({
    list: fc.array(fc.oneof({ maxDepth: 4 }, word, tie('nested')), { minLength: 1, maxLength: 30 }).map((parts) => parts.join(' ')),
    nested: tie('list').map((inner) => `(${inner})`),
  })).list
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), (texts) => {
      const repeated = texts.map((one) => `select (${one}) where (${one}) or exists (select (${one}) from a where (${one}))`)
      const given = ['a', 'b'].flatMap((file) =>
        [...texts, ...repeated].map((sql) => ({ file, sql: file === 'a' ? sql : `select a, ${sql}` })),
      )
      expect(expanded(given).map(bare)).toEqual(given.map(({ sql }) => bare(sql)))
    }),
  )
})

const bare = (sql: string): string => sql.replace(/[\s"]+/g, '')

/** Returns printed statements with the parts in place of their names. */
function expanded(given: { file: string; sql: string }[]): string[] {
  const { statements, definitions } = nameParts(given)
  return statements.map((statement, index) => {
    const texts = new Map([...(definitions.get(given[index]?.file ?? '') ?? []), ...(definitions.get(sharedFile) ?? [])])
    const expand = (text: string): string => text.replace(/\{([\w.]+)\}/g, (_, name) => expand(texts.get(name) ?? ''))
    return expand(statement)
  })
}

test('a change of a condition changes the definition of its part, and neither names nor statements', () => {
  const condition = (status: string): string =>
    `exists (select "id" from "post" where "post"."id" = "comment"."post_id" and ("post"."status" = '${status}' or "post"."hidden" = false))`
  const statement = (file: string, status: string): { file: string; sql: string } => ({
    file,
    sql: `select "id" from "comment" where ${condition(status)} or (${condition(status)} and ${condition(status)}) limit ${file.length}`,
  })
  const [before, after] = ['published', 'scheduled'].map((status) => nameParts([statement('lists', status), statement('rows', status)]))
  expect(before?.definitions.get(sharedFile)?.map(([name]) => name)).toEqual(['shared.post_of_comment'])
  expect(after?.statements).toEqual(before?.statements)
  expect(after?.definitions.get(sharedFile)?.map(([, text]) => text)).toEqual([expect.stringContaining("'scheduled'")])
  const own = nameParts([statement('lists', 'published'), { ...statement('rows', 'published'), file: 'lists' }])
  expect(own.statements[0]).toContain('exists ({post_of_comment})')
})
