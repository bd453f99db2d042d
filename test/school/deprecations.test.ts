import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineResource } from '../../src/engine/declare/defineResource.ts'
import { deprecated } from '../../src/engine/declare/deprecation.ts'
import { everything } from '../../src/engine/declare/expressions.ts'
import { operationsOf } from '../../src/engine/declare/operationsOf.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { allScopes, startDemoApi } from './demoApi.ts'

/** Made up: an operation and a field that go away. */
const relics = defineRelics({ listRelics: { since: '2026-03-01', sunset: '2026-09-01' } })

function defineRelics(deprecations: Record<string, { since: string; sunset?: string }>) {
  return defineResource({
    name: 'relics',
    object: 'relic',
    idPrefix: 'rel',
    table: 'lecturer',
    about: 'What was once of use.',
    scopes: { read: 'See relics' },
    schema: z.object({
      display_name: z.string().meta({ description: 'Name.', example: 'Ada' }),
      headline: z
        .string()
        .nullable()
        .meta({ description: 'Line.', example: null, ...deprecated({ since: '2026-01-01' }) }),
    }),
    sorts: ['display_name'],
    visibility: { anonymous: everything, learner: everything, lecturer: everything, staff: everything },
    operations: { list: 'read', get: 'read' },
    deprecations,
  })
}

const [embedded] = await databasesToTest()

describe('deprecated operations and fields', () => {
  const api = duringTests(async () =>
    startDemoApi(await (embedded as NonNullable<typeof embedded>).open(), operationsIn([...resources, relics])),
  )

  test('are announced on every response, errors included, with the end date and a link (RFC 9745, RFC 8594)', async () => {
    const scopes = [...allScopes, 'relics:read']
    for (const reply of [await api.get('/api/v1/relics'), await api.get('/api/v1/relics?limit=0', { as: 'owner@example.com', scopes })]) {
      expect(reply.headers.get('deprecation')).toBe('@1772323200')
      expect(reply.headers.get('sunset')).toBe('Tue, 01 Sep 2026 00:00:00 GMT')
      expect(reply.headers.get('link')).toContain(`<${api.school.issuer}/docs>; rel="deprecation"`)
    }
    const one = await api.get(`/api/v1/relics/${((await api.get('/api/v1/relics')).json.data as { id: string }[])[0]?.id}`)
    expect([one.status, one.headers.get('deprecation')]).toEqual([200, null])
  })

  test('are marked in the OpenAPI document, operation and field', async () => {
    const { paths, components } = (await api.get('/openapi.json')).json as {
      paths: Record<string, { get: object }>
      components: { schemas: Record<string, { properties: Record<string, object> }> }
    }
    expect(paths['/api/v1/relics']?.get).toMatchObject({ deprecated: true, 'x-deprecated-since': '2026-03-01', 'x-sunset': '2026-09-01' })
    expect(paths['/api/v1/relics/{id}']?.get).not.toHaveProperty('deprecated')
    expect(components.schemas.Relic?.properties.headline).toMatchObject({ deprecated: true, 'x-deprecated-since': '2026-01-01' })
    expect(components.schemas.Relic?.properties.display_name).not.toHaveProperty('deprecated')
  })
})

test('nothing ends sooner than half a year after it was announced, and nothing that is not there', () => {
  expect(() => deprecated({ since: '2026-03-01', sunset: '2026-06-01' })).toThrow('180')
  expect(() => deprecated({ since: 'soon' })).toThrow('days such as')
  expect(() => operationsOf(defineRelics({ listRelicts: { since: '2026-03-01' } }))).toThrow('listRelicts')
  expect(() => operationsOf(defineRelics({ getRelic: { since: '2026-03-01', sunset: '2026-03-02' } }))).toThrow('180')
})
