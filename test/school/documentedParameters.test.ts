// Proves OpenAPI 3.0: Every parameter has a sample that its schema accepts, and a GET with it gets a documented status and media type

import { beforeAll, describe, expect, test } from 'vitest'
import { operationsIn, resources } from '../../src/school/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { dereferenced, openApiDocument, schemaValidators } from '../support/openApi.ts'
import { startDemoApi } from './demoApi.ts'
import { chooseRowsToRead, type RowsToRead } from './rowsToRead.ts'

interface Schema {
  type?: string
  format?: string
  enum?: unknown[]
  default?: unknown
  minimum?: number
  items?: Schema
  allOf?: Schema[]
  $ref?: string
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
  example?: unknown
}

interface Described {
  operationId: string
  parameters: Parameter[]
  responses: Record<string, { content?: Record<string, unknown> }>
}

const operations = operationsIn(resources)
const facts = { issuer: 'https://school.example', name: 'School', contactEmail: null, supportUrl: null }
const document = openApiDocument({ operations, scopes: [] }, facts)
const validatorOf = schemaValidators(document)
const described = Object.values(dereferenced(document).paths as Record<string, Record<string, Described>>).flatMap((methods) =>
  Object.values(methods),
)

/** The example of a parameter, else a value that its schema shows. */
function sampleOf({ schema, example }: { schema: Schema; example?: unknown }): unknown {
  if (example !== undefined) return example
  const { $ref, allOf: [reference] = [], items, type, format, minimum } = schema
  if ($ref) return sampleOf({ schema: document.components.schemas[$ref.split('/').at(-1) ?? ''] })
  if (reference) return sampleOf({ schema: reference })
  if (items) return [sampleOf({ schema: items })]
  const times = { date: '2026-02-01', 'date-time': '2026-02-01T09:30:00Z' }
  return schema.enum?.[0] ?? schema.default ?? times[format as keyof typeof times] ?? { boolean: true, integer: minimum ?? 1 }[type ?? '']
}

test('every parameter has a sample that its schema accepts; a cursor comes from a page', () => {
  const wrong = described.flatMap(({ operationId, parameters }) =>
    parameters
      .filter((parameter) => parameter.name !== 'cursor' && !validatorOf(parameter.schema)(sampleOf(parameter)))
      .map(({ name }) => `${operationId} ${name}`),
  )
  expect(described.length).toBeGreaterThan(200)
  expect(wrong).toEqual([])
})

describe.each(await databasesToTest())('on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open(), operations, undefined, { isWhole: true }))
  let rows: RowsToRead
  beforeAll(async () => {
    rows = await chooseRowsToRead(api)
  })

  /** They need the authorization of an app: see `appContract.test.ts` and `proposals.test.ts`. */
  const ofApps = ['getCurrentAuthorization', 'getProposal']
  test.each(operations.filter(({ id, method }) => method === 'GET' && !ofApps.includes(id)))(
    '$id responds to each parameter as documented',
    async (operation) => {
      const { parameters, responses } = described.find(({ operationId }) => operationId === operation.id) as Described
      const path = rows.addressOf(operation, rows.visible(operation))
      const wrong: unknown[] = []
      for (const parameter of parameters.filter((one) => one.in === 'query')) {
        const sent = parameters.filter((one) => one === parameter || (one.in === 'query' && one.required))
        const query = new URLSearchParams()
        for (const one of sent) query.set(one.name, one.name === 'cursor' ? await cursorOf(path) : String(sampleOf(one)))
        if (query.get('cursor') === '') continue
        const { status, headers, json } = await api.get(`${path}?${query}`, { as: 'owner@example.com' })
        const type = headers.get('content-type')?.split(';')[0] ?? ''
        const isDocumented = type in (responses[status]?.content ?? {})
        if (status !== 200 || !isDocumented || (type === 'text/csv') !== (parameter.name === 'csv'))
          wrong.push([`${query}`, status, type, json])
      }
      expect(wrong).toEqual([])
    },
  )

  /** The cursor of the second page; an empty text if there is one page. */
  async function cursorOf(path: string): Promise<string> {
    const { json } = await api.get(`${path}?limit=1`, { as: 'owner@example.com' })
    return (json.page as { next_cursor: string | null } | undefined)?.next_cursor ?? ''
  }
})
