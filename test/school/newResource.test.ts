import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineResource } from '../../src/engine/declare/defineResource.ts'
import { everything, nothing } from '../../src/engine/declare/expressions.ts'
import { slug } from '../../src/engine/declare/fields.ts'
import { operationsOf } from '../../src/engine/declare/operationsOf.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'
import { callTool, post, request } from '../engine/mcp/rpc.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { allScopes, startDemoApi } from './demoApi.ts'

/** A resource that exists only in this test. */
const potters = defineResource({
  name: 'potters',
  object: 'potter',
  idPrefix: 'pot',
  table: 'lecturer',
  about: 'Who makes pots.',
  scopes: { read: 'See who makes pots' },
  schema: z.object({
    slug: slug().meta({ description: 'Readable key.' }),
    display_name: z.string().meta({ description: 'Name.' }),
    featured: z.boolean().meta({ description: 'Whether shown first.' }),
    position: z.int().meta({ description: 'Place.', view: 'own' }),
    status: z.enum(['active', 'hidden']).meta({ description: 'State.', view: 'staff' }),
  }),
  filters: ['featured', 'status', 'position'],
  sorts: ['display_name'],
  visibility: {
    anonymous: (potter) => potter('status', '=', 'active'),
    learner: nothing,
    lecturer: (potter, me) => potter.or([potter('status', '=', 'active'), potter('id', '=', me.lecturerId)]),
    staff: everything,
  },
  views: { own: (potter, me) => potter('id', '=', me.lecturerId) },
  operations: { list: 'read', get: 'read' },
})
const declared = [...resources, potters]
const scopes = [...allScopes, 'potters:read']

test('a new declaration brings its operations and its scope', () => {
  expect(operationsOf(potters).map(({ id, path, scope, roles }) => [id, path, scope, roles])).toEqual([
    ['listPotters', '/api/v1/potters', 'potters:read', ['anonymous', 'lecturer', 'staff']],
    ['getPotter', '/api/v1/potters/{id_or_slug}', 'potters:read', ['anonymous', 'lecturer', 'staff']],
  ])
  expect(scopeCatalogue(declared).at(-1)).toEqual({
    name: 'potters:read',
    area: 'potters',
    areaTitle: 'Potters',
    verb: 'read',
    sentence: 'See who makes pots',
    sentences: { learner: 'See who makes pots' },
    othersData: [],
    from: 'learner',
  })
})

describe.each(await databasesToTest())('a new resource on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open(), operationsIn(declared)))

  const names = async (path: string, as?: string) => {
    const { json, status } = await api.get(path, { as, scopes })
    return status === 200 ? (json.data as { display_name: string }[]).map(({ display_name }) => display_name) : [status, json.error]
  }

  test('is served to each caller with the right rows and views', async () => {
    expect((await names('/api/v1/potters')).length).toBe(5)
    expect((await names('/api/v1/potters', 'owner@example.com')).length).toBe(6)
    const { json } = await api.get('/api/v1/potters', { as: 'lecturer2@example.com', scopes: ['potters:read'] })
    const placed = (json.data as { slug: string }[]).filter((row) => 'position' in row)
    expect(placed.map((row) => row.slug)).toEqual(['tansy-brightwater'])
    expect((await api.get('/api/v1/potters/pim-hollowell')).status).toBe(404)
    const mine = await api.get('/api/v1/potters/tansy-brightwater', { as: 'lecturer2@example.com', scopes })
    expect(Object.keys(mine.json)).toEqual(['id', 'object', 'slug', 'display_name', 'featured', 'position', 'created_at', 'updated_at'])
    expect(mine.headers.get('etag')).toMatch(/^"1-o-/)
  })

  test('has its tools and routes without further code', async () => {
    const origin = api.school.issuer
    const { tools } = (await post(origin, request('tools/list'))).json.result
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['list_potters', 'get_potter']))
    const listed = (await callTool(origin, 'list_potters', { featured: true })).structuredContent
    expect(listed.data).toEqual((await api.get('/api/v1/potters?featured=true')).json.data)
    const one = await callTool(origin, 'get_potter', { id_or_slug: 'tansy-brightwater' })
    expect(one.structuredContent).toEqual((await api.get('/api/v1/potters/tansy-brightwater')).json)
    const { contents } = (await post(origin, request('resources/read', { uri: 'school://potters/tansy-brightwater' }))).json.result
    expect(contents[0].text).toContain('# Tansy Brightwater')
  })

  test('a filter by a field is open only to callers who see the field in every row', async () => {
    expect(await names('/api/v1/potters?featured=true')).toEqual(['Marlo Quillfeather'])
    expect(await names('/api/v1/potters?status=hidden', 'owner@example.com')).toEqual(['Pim Hollowell'])
    expect(await names('/api/v1/potters?position=1', 'owner@example.com')).toEqual(['Tansy Brightwater'])
    for (const as of [undefined, 'lecturer2@example.com']) {
      expect(await names('/api/v1/potters?status=hidden', as)).toEqual([400, 'invalid_parameter'])
      expect(await names('/api/v1/potters?position=1', as)).toEqual([400, 'invalid_parameter'])
    }
  })

  test('a role that has no rows at all is refused, without a challenge', async () => {
    const reply = await api.get('/api/v1/potters', { as: 'learner001@example.org', scopes })
    expect([reply.status, reply.json.error, reply.headers.get('www-authenticate')]).toEqual([403, 'access_denied', null])
  })
})
