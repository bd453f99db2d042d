import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { Problem } from '../../src/base/problem.ts'
import { defineResource } from '../../src/engine/declare/defineResource.ts'
import { everything, nothing } from '../../src/engine/declare/expressions.ts'
import { slug } from '../../src/engine/declare/fields.ts'
import { operationsOf } from '../../src/engine/declare/operationsOf.ts'
import { defineAction } from '../../src/engine/declare/typedOperations.ts'
import { defineBulkAction } from '../../src/engine/write/bulkAction.ts'
import { courses } from '../../src/school/courses/courses.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { allScopes, startDemoApi } from './demoApi.ts'

const everyone = { anonymous: everything, learner: everything, lecturer: everything, staff: everything }

/** An invented resource with writes, actions, expansions and bulk requests, declared only here. */
const potters = defineResource({
  name: 'potters',
  object: 'potter',
  idPrefix: 'pot',
  table: 'lecturer',
  about: 'Who makes pots.',
  scopes: { read: 'See who makes pots', write: { staff: 'Add and change who makes pots' } },
  schema: z.object({
    slug: slug().meta({ description: 'Readable key.', example: 'ada' }),
    display_name: z.string().min(1).meta({ description: 'Name.', example: 'Ada' }),
    headline: z.string().nullable().meta({ description: 'Line.', example: null }),
    status: z.enum(['active', 'hidden']).meta({ description: 'State.', example: 'active' }),
  }),
  writable: ['display_name', 'headline', { field: 'slug', on: 'create' }],
  required: ['display_name'],
  slugFrom: 'display_name',
  search: ['display_name'],
  sorts: ['display_name'],
  exports: true,
  visibility: everyone,
  operations: { list: 'read', get: 'read', create: 'write', update: 'write', remove: 'write' },
  actions: {
    hide: { scope: 'write', summary: 'Hide a potter', from: ['active'], to: 'hidden' },
    rename: defineAction('lecturer', {
      scope: 'write',
      summary: 'Rename a potter',
      input: z.object({ name: z.string().min(1).meta({ description: 'The new name.' }) }),
      run: async (_writing, _row, input) => ({ display_name: input.name as string }),
    }),
  },
  collectionActions: {
    bulk: defineBulkAction({
      scope: 'write',
      summary: 'Add many potters',
      of: { idPrefix: 'pot', object: 'potter' },
      item: z.object({ name: z.string().meta({ description: 'Name.' }) }),
      about: { description: 'Potters.', example: [] },
      options: { atomic: z.boolean().default(false).meta({ description: 'All or nothing.' }) },
      keys: ['name'],
      begin:
        async ({ writer, school }) =>
        async ({ name }) => {
          const id = newId()
          await writer
            .insertInto('lecturer')
            .values({ school_id: school.id, id, slug: `bulk-${id}`, display_name: name })
            .execute()
          // Fails only now, so that the rows that are already written must be rolled back.
          if (name === 'nobody') throw new Problem('validation_failed', { description: 'Nobody is not a name.' })
          return { status: 201, id: toPublicId('pot', id) }
        },
    }),
  },
})

/** Courses again, under another name, with their lecturers. */
const classes = defineResource({
  name: 'classes',
  object: 'class',
  idPrefix: 'cls',
  table: 'course',
  about: 'What is taught.',
  scopes: { read: 'See classes' },
  schema: z.object({
    title: z.string().meta({ description: 'Title.', example: 'Clay' }),
    teachers: z.array(z.string()).meta({ description: 'Who.', example: [] }),
  }),
  derived: {
    teachers: {
      select: (course) =>
        course
          .selectFrom('course_lecturer')
          .select((row) => row.fn.agg<string[]>('array_agg', ['lecturer_id']).as('ids'))
          .whereRef('course_lecturer.school_id', '=', 'course.school_id')
          .whereRef('course_lecturer.course_id', '=', 'course.id'),
    },
  },
  sorts: ['title'],
  expand: {
    teachers: { resource: () => potters, ids: (row) => (row.teachers as string[] | null) ?? [] },
    staff_only: { resource: () => secrets, id: (row) => row.id },
  },
  visibility: { ...everyone, anonymous: (course) => course('status', '=', 'published') },
  operations: { list: 'read', get: 'read' },
})

const secrets = defineResource({
  name: 'secrets',
  object: 'secret',
  idPrefix: 'sct',
  table: 'course',
  about: 'For the staff.',
  scopes: { read: { staff: 'See secrets' } },
  schema: z.object({ title: z.string().meta({ description: 'Title.', example: 'Clay' }) }),
  sorts: ['title'],
  visibility: { anonymous: nothing, learner: nothing, lecturer: nothing, staff: everything },
  operations: { list: 'read' },
})

const declared = [...resources, potters, classes, secrets]
const own = ['potters:read', 'potters:write', 'classes:read', 'secrets:read']
const scopes = [...allScopes, ...own]
const as = 'owner@example.com'

test('one declaration brings routes, scopes and what the consent page says', () => {
  expect(operationsOf(potters).map(({ id, method, path }) => `${id} ${method} ${path}`)).toEqual([
    'listPotters GET /api/v1/potters',
    'getPotter GET /api/v1/potters/{id_or_slug}',
    'createPotter POST /api/v1/potters',
    'updatePotter PATCH /api/v1/potters/{id_or_slug}',
    'deletePotter DELETE /api/v1/potters/{id_or_slug}',
    'hidePotter POST /api/v1/potters/{id}/hide',
    'renamePotter POST /api/v1/potters/{id}/rename',
    'bulkPotters POST /api/v1/potters/bulk',
  ])
  expect(
    operationsOf(potters)
      .filter(({ method }) => method !== 'GET')
      .every(({ roles }) => String(roles) === 'staff'),
  ).toBe(true)
  expect(scopeCatalogue(declared).find(({ name }) => name === 'potters:write')?.sentence).toBe('Add and change who makes pots')
})

describe.each(await databasesToTest())('on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open(), operationsIn(declared)))

  test('a new resource is writable by its declaration alone, and is in the OpenAPI document', async () => {
    const made = await api.send('/api/v1/potters', { as, scopes, body: { display_name: 'Ada Kiln' } })
    expect([made.status, made.json.slug]).toEqual([201, 'ada-kiln'])
    const path = `/api/v1/potters/${made.json.id}`
    expect((await api.send(path, { method: 'PATCH', as, scopes, body: { slug: 'x' } })).json.error).toBe('immutable_field')
    expect((await api.send(`${path}/rename`, { as, scopes, body: { name: 'Bea' } })).json.display_name).toBe('Bea')
    expect((await api.send(`${path}/rename`, { as, scopes, body: { nam: 'Bea' } })).json).toMatchObject({ error: 'validation_failed' })
    expect((await api.send(`${path}/hide`, { as, scopes })).json.status).toBe('hidden')
    expect((await api.send(path, { method: 'DELETE', as, scopes })).status).toBe(204)
    const taught = await api.get('/api/v1/potters/marlo-quillfeather', { as, scopes })
    expect(await api.send(`/api/v1/potters/${taught.json.id}`, { method: 'DELETE', as, scopes })).toMatchObject({
      status: 409,
      json: { error: 'resource_in_use' },
    })
    expect((await api.get('/openapi.json')).json.paths).toHaveProperty(['/api/v1/potters/{id}/rename'])
  })

  test('a bulk request succeeds or fails row by row, or as a whole', async () => {
    const items = [{ name: 'One' }, { name: 'nobody' }, { name: 'Three' }]
    const some = await api.send('/api/v1/potters/bulk', { as, scopes, body: { items } })
    expect(some).toMatchObject({
      status: 207,
      json: {
        summary: { total: 3, succeeded: 2, failed: 1 },
        results: [{ status: 201 }, { index: 1, status: 422, error: { error: 'validation_failed' } }, { status: 201 }],
      },
    })
    const none = await api.send('/api/v1/potters/bulk', { as, scopes, body: { items, atomic: true } })
    expect(none).toMatchObject({ status: 422, json: { error: 'validation_failed', details: [{ field: 'items.1' }] } })
    const found = await api.database.sql.query(
      `SELECT display_name FROM lecturer WHERE school_id = $1 AND slug LIKE 'bulk-%' ORDER BY id`,
      [api.school.id],
    )
    expect(found.map(({ display_name }) => display_name)).toEqual(['One', 'Three'])
  })

  test('rows of another resource are put in, as far as the caller may see them', async () => {
    const reply = await api.get('/api/v1/classes?sort=title&limit=3&expand=teachers&fields=title')
    const data = reply.json.data as { title: string; teachers: { data: { display_name: string }[]; has_more: boolean } }[]
    expect(reply.status).toBe(200)
    expect(data.every(({ teachers }) => teachers.data.length > 0 && !teachers.has_more)).toBe(true)
    expect(Object.keys(data[0] ?? {}).toSorted()).toEqual(['id', 'object', 'teachers', 'title'])
    const lacking = await api.get('/api/v1/classes?expand=teachers', { as, scopes: ['classes:read'] })
    expect([lacking.status, lacking.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('scope="classes:read potters:read"'),
    ])
    expect((await api.get('/api/v1/classes?expand=staff_only')).json.error).toBe('access_denied')
    expect((await api.get('/api/v1/classes?expand=staff_only&limit=1', { as, scopes })).status).toBe(200)
    expect((await api.get('/api/v1/classes?expand=teacher')).json).toMatchObject({
      error: 'invalid_parameter',
      details: [{ meta: { nearest: 'teachers' } }],
    })
  })

  test('the change feed lists each change once, in order, to staff', async () => {
    const path = '/api/v1/changes?types=potter'
    const now = (await api.get(`${path}&cursor=latest`, { as, scopes })).json as { page: { next_cursor: string }; data: unknown[] }
    expect(now.data).toEqual([])
    const { json } = await api.send('/api/v1/potters', { as, scopes, body: { display_name: 'Cleo' } })
    await api.send(`/api/v1/potters/${json.id}/hide`, { as, scopes })
    // An open transaction of another connection to the same server delays all newer changes.
    // That includes changes of earlier tests, which may become visible only now.
    const { page, own } = await until(
      async () => {
        const { json: found } = await api.get(`${path}&cursor=${now.page.next_cursor}`, { as, scopes })
        const { data, page } = found as { data: { resource: { id: string } }[]; page: { next_cursor: string } }
        const own = data.filter(({ resource }) => resource.id === json.id)
        return own.length >= 2 && { page, own }
      },
      { what: 'two changes in the feed' },
    )
    expect(own).toMatchObject([
      { type: 'potter', action: 'created', resource: { type: 'potter', id: json.id }, version: 1 },
      { action: 'hidden', version: 2 },
    ])
    const cursor = page.next_cursor
    expect((await api.get(`${path}&cursor=${cursor}`, { as, scopes })).json.data).toEqual([])
    expect((await api.get(`/api/v1/changes?types=course&cursor=${cursor}`, { as, scopes })).json.error).toBe('invalid_cursor')
    expect((await api.get('/api/v1/changes', { as, scopes })).json.error).toBe('invalid_parameter')
    expect((await api.get(`${path},course`, { as, scopes: ['potters:read'] })).headers.get('www-authenticate')).toContain('courses:read')
    expect((await api.get(path)).status).toBe(403)
    expect((await api.get(path, { as: 'lecturer1@example.com', scopes })).json.error).toBe('access_denied')
    expect(courses.object).toBe('course')
  })
})
