import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exampleBody } from '../../src/engine/declare/exampleOf.ts'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { longText, realTexts } from '../support/realText.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'
import { createSubjects } from './derived/createSubjects.ts'

const as = 'owner@example.com'

/** Every operation that creates a row with a title or a name, and that field. */
const creations = operationsIn(resources).flatMap((operation) => {
  if (operation.kind !== 'create' || operation.parent) return []
  const { slugFrom, writable } = operation.resource
  const field = slugFrom ?? ['name', 'title'].find((name) => writable.some((one) => one.field === name))
  return field === undefined ? [] : [{ id: operation.id, operation: operation as Extract<Operation, { kind: 'create' }>, field }]
})

describe.each(await databasesToTest())('names as people write them, on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
  })
  afterAll(() => api.stop())

  test.each(creations)('$id: keeps every name unchanged, at an address that differs', async ({ operation, field }) => {
    const { resource, path } = operation
    const { sendingFor } = createSubjects(api)
    const names = [...Object.values(realTexts), longText.slice(0, 80).trim()]
    for (const name of names) {
      const { body = exampleBody(resource, true) } = await sendingFor(operation, '')
      const { slug: _slug, external_id: _key, ...fields } = body as Record<string, unknown>
      const { status, json, headers } = await api.send(path, { as, body: { ...fields, [field]: name } })
      expect([name, status, json[field]]).toEqual([name, 201, name])
      const found = await api.get(`${path}/${encodeURIComponent(String(json.slug ?? json.id))}`, { as })
      expect([found.status, found.json.id, found.json[field]]).toEqual([200, json.id, name])
      expect(headers.get('location')).toMatch(/^[!-~]+$/)
    }
  })
})
