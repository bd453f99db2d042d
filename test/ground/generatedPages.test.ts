import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effectsOf } from '../../scripts/documents/effects.ts'
import { formatSql } from '../../scripts/documents/formatSql.ts'
import type { Structure } from '../../scripts/documents/migratedDatabase.ts'
import { renderDatabase } from '../../scripts/documents/renderDatabase.ts'
import { renderResource, sortsWithoutIndex } from '../../scripts/documents/renderResource.ts'
import type { Operation } from '../../src/framework/declare/operations.ts'
import { operationsIn, resources } from '../../src/resources/index.ts'

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
    const keys = '(school_id, title, id)'
    const index = { name: 'course_title', keys, isUnique: false, where: null }
    expect(renderResource(resource, [], { ...table, indexes: [index] })).toContain(`| \`title\` | – | – | \`${keys}\` |`)
    expect(pageOf(publish)).toContain('| `title` | – | – | – |')
    expect(sortsWithoutIndex(resource, { ...table, indexes: [index] }).filter((one) => one.includes('by title'))).toEqual([])
    expect(sortsWithoutIndex(resource, table)).toContain(
      'courses can be sorted by title, and no index has this order: add @@index([school_id, title, id]) to model course in prisma/schema.prisma, and run npm run migration -- <name>',
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

test('a formatted statement differs from the statement in its spaces only', () => {
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
    fc.property(text, (sql) => {
      expect(formatSql(sql).replace(/\s+/g, '')).toBe(sql.replace(/\s+/g, ''))
    }),
  )
})
