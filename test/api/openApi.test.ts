import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/api/openApiDocument.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/resources/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

type Json = Record<string, unknown>
type Contents = Record<string, { schema: Json; example?: unknown }>
interface Described extends Json {
  operationId: string
  parameters: Json[]
  responses: Record<string, { content?: Contents; 'x-media-types'?: Record<string, { example: string }> }>
  requestBody?: { $ref: string }
  security: Record<string, string[]>[]
}

const operations = operationsIn(resources)
const facts = { issuer: 'https://school.example', name: 'First', contactEmail: null, supportUrl: null }
const document = openApiDocument({ operations, scopes: scopeCatalogue(resources) }, facts) as Json & {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Json>; requestBodies: Record<string, { content: Contents }> }
}
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods))

const bodyAt = (reference: string) => document.components.requestBodies[reference.split('/').at(-1) as string]

// OpenAPI 3.0 has `nullable`; ajv supports it together with a type. References are resolved in the whole document.
const ajv = new Ajv({ strict: false, validateFormats: true })
addFormats.default(ajv)
ajv.addSchema(document, 'document')
const validatorOf = (schema: Json) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')))

/** Paths of the members that have a default. */
function defaultsIn(schema: unknown, path: readonly string[] = []): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'default' in schema && path.at(-1) !== 'properties' ? [path.join('.')] : []
  return [...own, ...Object.entries(schema).flatMap(([name, inner]) => defaultsIn(inner, [...path, name]))]
}

describe('the OpenAPI document', () => {
  test('describes every operation once, and the change feed', () => {
    expect(described.map(({ operationId }) => operationId).toSorted()).toEqual(
      [...operations.map(({ id }) => id), 'listChanges'].toSorted(),
    )
    for (const { id, scope, anonymous } of operations) {
      const found = described.find(({ operationId }) => operationId === id) as Described
      expect(found).toMatchObject({ 'x-required-scopes': [scope], 'x-anonymous': anonymous })
      expect(found.security).toEqual([{ oauth2: [scope] }, ...(anonymous === 'none' ? [] : [{}])])
      expect([found.summary, found.description]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)])
      for (const status of ['401', '403', '429', '500']) expect(found.responses).toHaveProperty(status)
    }
  })

  test('has no two paths that differ in the name of a parameter alone, and names each parameter of a path', () => {
    const forms = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'))
    expect(new Set(forms).size).toBe(forms.length)
    for (const [path, methods] of Object.entries(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      for (const { parameters } of Object.values(methods)) {
        expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(names)
      }
    }
  })

  test('names each path parameter as the operation itself reads it', () => {
    for (const { id, path } of operations) {
      const [published] = Object.entries(document.paths).find(([, methods]) =>
        Object.values(methods).some(({ operationId }) => operationId === id),
      ) as [string, unknown]
      expect([id, published]).toEqual([id, path])
    }
  })

  test('promises no default in the body of a PATCH, at any depth: what is left out stays', () => {
    const bodies = operations.filter(({ method }) => method === 'PATCH').map(({ id }) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Body`)
    expect(bodies.length).toBeGreaterThan(15)
    for (const name of bodies) {
      expect([name, defaultsIn(document.components.schemas[name])]).toEqual([name, []])
    }
    const { CreateCourseBody } = document.components.requestBodies
    expect(defaultsIn(CreateCourseBody?.content['application/json']?.schema)).toContain('properties.description_format')
  })

  test('describes only JSON as the content of a response, and lists other media types in addition', () => {
    for (const { operationId, responses } of described) {
      for (const { content } of Object.values(responses))
        if (content) expect([operationId, ...Object.keys(content)]).toEqual([operationId, 'application/json'])
    }
    const typesOf = (id: string): string[] => {
      const found = described.find(({ operationId }) => operationId === id)
      return Object.keys(found?.responses[200]?.['x-media-types'] ?? {})
    }
    expect(typesOf('listCourses')).toEqual(['text/csv', 'application/x-ndjson'])
    expect(typesOf('listEvents')).toEqual(['text/csv', 'application/x-ndjson', 'text/calendar'])
    expect(typesOf('getEvent')).toEqual(['text/calendar'])
    expect(typesOf('getCourse')).toEqual([])
  })

  test('has examples that are right', () => {
    for (const { operationId, responses, requestBody } of described) {
      const contents = [requestBody && bodyAt(requestBody.$ref), ...Object.values(responses)].flatMap((one) =>
        Object.values(one?.content ?? {}),
      )
      for (const { schema, example } of contents) {
        if (example === undefined) continue
        const validate = validatorOf(schema)
        expect([operationId, validate(example), validate.errors]).toEqual([operationId, true, null])
      }
    }
  })

  test('contains no options of the framework', () => {
    const text = JSON.stringify(document.components.schemas)
    for (const word of ['"view":', '"idPrefix":', '"$id":', '"$schema":']) expect(text).not.toContain(word)
  })
})

describe.each(await databasesToTest())('the document on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
  })
  afterAll(() => api.stop())

  test('holds for what is answered, to everybody', async () => {
    for (const [path, schema] of [
      ['/api/v1/courses/clay-from-scratch', 'Course'],
      ['/api/v1/school', 'School'],
      ['/api/v1/account', 'Account'],
    ] as const) {
      const validate = validatorOf({ $ref: `#/components/schemas/${schema}` })
      for (const as of [undefined, 'learner001@example.org', 'lecturer1@example.com', 'owner@example.com']) {
        const reply = await api.get(path, { as })
        if (reply.status === 200) expect([path, as, validate(reply.json), validate.errors]).toEqual([path, as, true, null])
      }
    }
  })

  test('is served with a tag, and again only where it has changed', async () => {
    const first = await api.get('/openapi.json')
    expect([first.status, first.json.openapi, (first.json.servers as { url: string }[])[0]?.url]).toEqual([200, '3.0.3', api.school.issuer])
    const again = await api.get('/openapi.json', { headers: { 'if-none-match': first.headers.get('etag') as string } })
    expect(again.status).toBe(304)
  })
})
