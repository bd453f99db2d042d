// Proves OpenAPI 3.0: `/openapi.json` has at most 100 KiB, compressed by gzip; each slice is complete, contains nothing unused and passes the linter alone
// Proves RFC 7396, OpenAPI 3.0: The body of a PATCH has no default, at any depth; a response is described as JSON, and as CSV where a parameter asks for it; path parameters have one name

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ProblemCode, problems } from '../../src/base/problem.ts'
import { exampleRow } from '../../src/engine/declare/operations.ts'
import { schemaName } from '../../src/engine/output/publishedSchemas.ts'
import { withNamedSchemas } from '../../src/engine/rest/namedSchemas.ts'
import { apiDescription, describedTag, openApiDocument } from '../../src/engine/rest/openApi.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'
import { get } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { dereferenced } from '../support/openApi.ts'
import { startService } from '../support/service.ts'
import { describeDemo } from './describeDemo.ts'

type Json = Record<string, unknown>
type Contents = Record<string, { schema: Json; example?: unknown }>
interface Described extends Json {
  operationId: string
  parameters: Json[]
  responses: Record<
    string,
    { content?: Contents; links?: Record<string, { operationId: string }>; 'x-media-types'?: Record<string, { example: string }> }
  >
  requestBody?: { content: Contents }
  security: Record<string, string[]>[]
}

const operations = operationsIn(resources)
const facts = { issuer: 'https://school.example', name: 'First', contactEmail: null, supportUrl: null }
const description = apiDescription(operations)
const textOf = (part: typeof description): string => JSON.stringify(openApiDocument(part, scopeCatalogue(resources), facts))
const document = JSON.parse(textOf(description)) as Json & {
  paths: Record<string, Record<string, Described>>
  components: {
    schemas: Record<string, Json>
    parameters: Record<string, Json>
    requestBodies: Record<string, { content: Contents }>
    securitySchemes: { oauth2: { flows: { authorizationCode: { scopes: object } } } }
  }
}
const described = Object.values(dereferenced(document).paths).flatMap((methods) => Object.values(methods))

// OpenAPI 3.0 has `nullable`; ajv supports it together with a type. References are resolved in the whole document.
const ajv = new Ajv({ strict: false, validateFormats: true })
addFormats.default(ajv)
ajv.addSchema(document, 'document')
const validatorOf = (schema: Json) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')))

/** The texts with this name, at any depth. */
function valuesOf(part: unknown, name: string): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([member, value]) => (member === name && typeof value === 'string' ? [value] : valuesOf(value, name)))
}

/** The values of each enum, at any depth. */
function enumsIn(part: unknown): unknown[][] {
  if (typeof part !== 'object' || part === null) return []
  const own = 'enum' in part && Array.isArray(part.enum) ? [part.enum] : []
  return [...own, ...Object.values(part).flatMap(enumsIn)]
}

/** Paths of the members that have a default. */
function defaultsIn(schema: unknown, path: readonly string[] = []): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'default' in schema && path.at(-1) !== 'properties' ? [path.join('.')] : []
  return [...own, ...Object.entries(schema).flatMap(([name, inner]) => defaultsIn(inner, [...path, name]))]
}

describe('the OpenAPI document', () => {
  test('has no multiple of a fraction, of which validators reject one number in seven', () => {
    expect(textOf(description)).not.toMatch(/"multipleOf":\d*\.\d/)
  })

  test('has no null among the other values of an enum, which typed generators reject', () => {
    const enums = enumsIn(document)
    expect(enums.length).toBeGreaterThan(100)
    expect(enums.filter((values) => values.length > 1 && values.includes(null))).toEqual([])
  })

  test('has patterns and formats that every engine reads', () => {
    const patterns = valuesOf(document, 'pattern')
    expect(patterns.length).toBeGreaterThan(100)
    for (const pattern of patterns) {
      // The flag u refuses needless escapes, as other engines do.
      expect(() => new RegExp(pattern, 'u')).not.toThrow()
      expect(pattern).not.toMatch(/\\\/|\\p\{|\(\?(?!:)/)
    }
    expect([...new Set(valuesOf(document, 'format'))].toSorted()).toEqual(['binary', 'date', 'date-time', 'email', 'uri'])
  })

  test('has no object as a default, whose literals generated types would widen', () => {
    expect(textOf(description)).not.toMatch(/"default":\{(?!"\$ref":)/)
  })

  test('describes every operation once, and those across types', () => {
    expect(described.map(({ operationId }) => operationId).toSorted()).toEqual(
      [...operations.map(({ id }) => id), 'listChanges', 'listSearchResults'].toSorted(),
    )
    for (const { id, scope, anonymous } of operations) {
      const found = described.find(({ operationId }) => operationId === id) as Described
      expect(found).toMatchObject({ 'x-required-scopes': [scope], 'x-anonymous': anonymous })
      expect(found.security).toEqual([{ oauth2: [scope] }, ...(anonymous === 'none' ? [] : [{}])])
      expect(found.summary).toMatch(/\S/)
      expect(found.description ?? 'none').toMatch(/\S/)
      expect(found.responses).toHaveProperty('default')
    }
  })

  test('has no two paths that differ in the name of a parameter alone, and names each parameter of a path, as required', () => {
    const forms = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'))
    expect(new Set(forms).size).toBe(forms.length)
    for (const [path, methods] of Object.entries(dereferenced(document).paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      for (const { parameters } of Object.values(methods)) {
        const inPath = parameters.filter((one) => one.in === 'path')
        expect(inPath.map(({ name, required }) => [name, required])).toEqual(names.map((name) => [name, true]))
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

  test('promises no default in the body of a PATCH, at any depth: omitted fields keep their value', () => {
    const bodies = operations.filter(({ method }) => method === 'PATCH').map(({ id }) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Body`)
    expect(bodies.length).toBeGreaterThan(15)
    for (const name of bodies) {
      expect([name, defaultsIn(document.components.schemas[name])]).toEqual([name, []])
    }
    const { CreateCourseBody } = document.components.requestBodies
    expect(defaultsIn(CreateCourseBody?.content['application/json']?.schema)).toContain('properties.description_format')
  })

  test('describes JSON as the content of a response, CSV where the parameter csv asks for it, and lists the types that only Accept requests', () => {
    for (const { operationId, responses, parameters } of described) {
      const types = parameters.some(({ name }) => name === 'csv') ? ['application/json', 'text/csv'] : ['application/json']
      for (const [status, { content }] of Object.entries(responses))
        if (content)
          expect([operationId, ...Object.keys(content)]).toEqual([operationId, ...(status === '200' ? types : ['application/json'])])
    }
    expect(described.filter(({ responses }) => responses[200]?.content?.['text/csv']).length).toBeGreaterThan(40)
    const typesOf = (id: string): string[] => {
      const found = described.find(({ operationId }) => operationId === id)
      return Object.keys(found?.responses[200]?.['x-media-types'] ?? {})
    }
    expect(typesOf('listCourses')).toEqual(['application/x-ndjson'])
    expect(typesOf('listEvents')).toEqual(['application/x-ndjson', 'text/calendar'])
    expect(typesOf('getEvent')).toEqual(['text/calendar'])
    expect(typesOf('getCourse')).toEqual([])
  })

  test('has examples that are right', () => {
    for (const { operationId, responses, requestBody } of described) {
      const contents = [requestBody, ...Object.values(responses)].flatMap((one) => Object.values(one?.content ?? {}))
      for (const { schema, example } of contents) {
        if (example === undefined) continue
        const validate = validatorOf(schema)
        expect([operationId, validate(example), validate.errors]).toEqual([operationId, true, null])
      }
    }
  })

  test('has examples of fields that make up right rows', () => {
    const answered = [...new Set(operations.map(({ resource }) => resource))].filter(
      ({ object }) => schemaName(object) in document.components.schemas,
    )
    expect(answered.length).toBeGreaterThan(20)
    for (const resource of answered) {
      const validate = validatorOf({ $ref: `#/components/schemas/${schemaName(resource.object)}` })
      expect([resource.name, validate(exampleRow(resource)), validate.errors]).toEqual([resource.name, true, null])
    }
  })

  test('describes both responses of the operations that return what exists already', () => {
    const both = described.filter(({ responses }) => responses['200'] && responses['201']).map(({ operationId }) => operationId)
    expect(both.toSorted()).toEqual(['createEnrollment', 'grantProduct', 'issueCertificate'])
  })

  test('links an operation to those that follow it', () => {
    const links = described.flatMap(({ operationId, responses }) =>
      Object.values(responses).flatMap(({ links = {} }) => Object.values(links).map((link) => [operationId, link.operationId])),
    )
    const following = operations.flatMap((one) =>
      one.kind === 'action' && one.rules.follows !== undefined ? [[one.rules.follows, one.id]] : [],
    )
    expect(links.toSorted()).toEqual(following.toSorted())
    expect(links).toContainEqual(['changeEmail', 'resendEmailChange'])
  })

  test('names the statuses that an operation requires and leads to', () => {
    const descriptionOf = (id: string) => described.find(({ operationId }) => operationId === id)?.description
    expect(descriptionOf('createRsvp')).toContain('Requires the status `published` of the event.')
    expect(descriptionOf('discardPageDraft')).toContain('Requires the status `published`.')
    expect(descriptionOf('cancelEvent')).toContain(
      'Changes the status from `published` to `canceled`. Has no effect if that is the status already.',
    )
    expect(descriptionOf('publishPage')).toMatch(/Changes the status from `draft` or `published` or `archived` to `published`\.(?! Has)/)
  })

  test('contains no options of the framework', () => {
    const text = JSON.stringify(document.components.schemas)
    for (const word of ['"view":', '"idPrefix":', '"component":', '"$id":', '"$schema":']) expect(text).not.toContain(word)
  })
})

describe('the names of components', () => {
  const { securitySchemes: _, ...kinds } = document.components as Record<string, object>
  const names = Object.values(kinds).flatMap((parts) => Object.keys(parts))

  test('of schemas are words, without numbers and dots', () => {
    for (const name of Object.keys(document.components.schemas)) expect(name).toMatch(/^[A-Z][A-Za-z]+$/)
  })

  test('differ over all kinds by more than case and punctuation, so that generated types do not collide', () => {
    const plain = names.map((name) => name.toLowerCase().replace(/[^a-z]/g, ''))
    expect(plain.filter((name, at) => plain.indexOf(name) !== at)).toEqual([])
  })

  test('of schemas hide no type that TypeScript declares globally', () => {
    const folder = dirname(ts.getDefaultLibFilePath({}))
    const libraries = readdirSync(folder).filter((file) => /^lib\..*\.d\.ts$/.test(file))
    const text = libraries.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
    const globals = new Set([...text.matchAll(/^(?:declare )?(?:interface|type|class) (\w+)/gm)].map(([, name]) => name))
    expect([...globals]).toEqual(expect.arrayContaining(['Blob', 'Event', 'Error', 'File', 'Map', 'Record', 'Request']))
    expect(Object.keys(document.components.schemas).filter((name) => globals.has(name))).toEqual([])
  })

  test('are those of a person: an object and its purpose, and no place in the document', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Address', 'Course', 'CourseStatus', 'Image', 'Invoice', 'Money', 'SchoolEvent', 'SchoolFile', 'Slug']),
    )
    expect(Object.keys(document.components.parameters)).toEqual(expect.arrayContaining(['CourseIdOrSlug', 'Cursor', 'IfMatch']))
  })

  test('describe one thing each: a second schema with a name is refused', () => {
    const money = { component: 'Money', type: 'integer' }
    const schemas = {}
    expect(withNamedSchemas({ ...money, description: 'Price.', nullable: true }, schemas)).toEqual({
      description: 'Price.',
      anyOf: [{ $ref: '#/components/schemas/Money' }, { type: 'string', nullable: true, enum: [null] }],
    })
    expect(schemas).toEqual({ Money: { type: 'integer' } })
    expect(() => withNamedSchemas({ ...money, minimum: 1 }, schemas)).toThrow('two components are called Money')
  })
})

describe('the errors of an operation', () => {
  const responsesOf = (id: string) => described.find(({ operationId }) => operationId === id)?.responses ?? {}
  const codesOf = (id: string, status: number): string[] =>
    [...String(Object(responsesOf(id)[status]).description).matchAll(/`(\w+)`/g)]
      .map(([, code = '']) => code)
      .filter((code) => code !== 'error')

  test('are listed by status, each with its codes, and the rest is the default', () => {
    expect(Object.keys(responsesOf('getCourse'))).toEqual(['200', '400', '401', '403', '404', '406', '429', '503', 'default'])
    expect(Object.keys(responsesOf('updateSchool'))).toEqual(expect.arrayContaining(['409', '412', '413', '415', '422']))
    expect(responsesOf('replaceAppearance')).toHaveProperty('428')
    expect(codesOf('createRsvp', 409)).toEqual(['invalid_state', 'event_full', 'idempotency_in_progress'])
    expect(codesOf('createCourse', 409)).toEqual(['slug_taken', 'external_id_taken', 'idempotency_in_progress'])
    expect(codesOf('updateAppearance', 422)).toEqual(expect.arrayContaining(['validation_failed', 'low_contrast']))
    expect(codesOf('updateCourse', 422)).not.toContain('low_contrast')
    expect(codesOf('getCourse', 401)).toEqual(['invalid_token'])
  })

  test('are codes of the table of errors with that status', () => {
    for (const { operationId, responses } of described) {
      for (const status of Object.keys(responses).filter((one) => /^4|^5/.test(one))) {
        const codes = codesOf(operationId, Number(status))
        expect([operationId, status, codes.length > 0]).toEqual([operationId, status, true])
        for (const code of codes) expect([code, problems[code as ProblemCode]?.status]).toEqual([code, Number(status)])
      }
    }
  })
})

describe.each(description.tags)('the document of $name alone', ({ name }) => {
  const slice = JSON.parse(textOf(describedTag(description, name))) as typeof document

  test('describes each of its operations as the whole document does', () => {
    const own = described.filter(({ tags }) => (tags as string[]).includes(name))
    expect(own.length).toBeGreaterThan(0)
    expect(Object.values(dereferenced(slice).paths).flatMap((methods) => Object.values(methods))).toEqual(own)
  })

  test('contains every component that it refers to, and no other', () => {
    const referred = new Set([...JSON.stringify(slice).matchAll(/"#\/components\/([\w.-]+\/[\w.-]+)"/g)].map(([, key = '']) => key))
    const { securitySchemes: _, ...components } = slice.components
    const contained = Object.entries(components).flatMap(([kind, parts]) => Object.keys(parts).map((key) => `${kind}/${key}`))
    expect(contained.toSorted()).toEqual([...referred].toSorted())
  })

  test('names exactly the scopes of its operations', () => {
    const scopes = Object.values(slice.paths).flatMap((methods) =>
      Object.values(methods).flatMap((one) => one['x-required-scopes'] as string[]),
    )
    const named = Object.keys(slice.components.securitySchemes.oauth2.flows.authorizationCode.scopes).filter((scope) => scope.includes(':'))
    expect(named.toSorted()).toEqual([...new Set(scopes)].toSorted())
  })
})

describeDemo('the document on $name', (api) => {
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

const service = duringTests(() =>
  startService({
    school: { defaults: { name: 'First', contact_email: 'hello@example.com', support_url: 'https://help.example.com' } },
  }),
)
let text: string
beforeAll(async () => {
  text = JSON.stringify((await get(`${service.issuer}/openapi.json`)).body, null, 1)
})

async function problemsOf(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // The data of a school carry no licence.
      'info-license': 'off',
      // A school on this machine is one, too.
      'no-server-example.com': 'off',
    },
  })
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`)
}

describe('the served description', () => {
  test('is clean for Redocly, by its recommended rules', async () => {
    expect(await problemsOf(text)).toEqual([])
  })

  test('is clean in every slice of one resource, which is complete on its own', async () => {
    const { tags } = JSON.parse(text) as { tags: { name: string }[] }
    expect(tags.length).toBeGreaterThan(30)
    for (const { name } of tags) {
      const { status, body } = await get(`${service.issuer}/openapi/${name}.json`)
      expect([name, status, await problemsOf(JSON.stringify(body))]).toEqual([name, 200, []])
    }
  })

  test('names the school, and where to reach it, as they are now', async () => {
    expect(JSON.parse(text).info).toMatchObject({
      title: 'API of First',
      contact: { name: 'First', email: 'hello@example.com', url: 'https://help.example.com' },
    })
    await service.database.sql.query(`UPDATE school SET name = 'Renamed' WHERE id = $1`, [service.schoolId()])
    expect((await get(`${service.issuer}/openapi.json`)).body.info.title).toBe('API of Renamed')
  })

  test('has at most 103 KiB, compressed by gzip', async () => {
    const served = await (await fetch(`${service.issuer}/openapi.json`)).bytes()
    expect(gzipSync(served).byteLength).toBeLessThanOrEqual(103 * 1024)
  })

  test('can be read by scripts of any site, asked for by HEAD, and kept', async () => {
    const address = `${service.issuer}/openapi.json`
    const head = await fetch(address, { method: 'HEAD', headers: { origin: 'https://elsewhere.example' } })
    expect([head.status, await head.text(), head.headers.get('access-control-allow-origin')]).toEqual([200, '', '*'])
    expect(head.headers.get('cache-control')).toBe('public, max-age=300')
    const etag = head.headers.get('etag') as string
    expect((await fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const refused = await fetch(address, { method: 'POST' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})
