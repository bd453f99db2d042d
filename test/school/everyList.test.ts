import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { isArray, membersOf, unwrapped } from '../../src/engine/declare/views.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { startDemoApi } from './demoApi.ts'
import { chooseRowsToRead, type RowsToRead } from './rowsToRead.ts'

const owner = 'owner@example.com'
const operations = operationsIn(resources)

/** Every operation that returns a list: of rows, or of elements without paths. */
const lists = operations.filter((operation) => operation.kind === 'list' || ('output' in operation && 'data' in operation.output.shape))

interface Page {
  object: string
  data: unknown[]
  page: { limit: number; has_more: boolean; next_cursor: string | null; prev_cursor: string | null }
}

/** An id in the form of the API: a filter that accepts it takes ids. */
const takesIds = (schema: z.ZodType, prefixes: readonly string[]): boolean =>
  !schema.safeParse('no id').success && prefixes.some((prefix) => schema.safeParse(`${prefix}_01jgwejj00e6srgkpqm2sqf05m`).success)

test('every filter and report parameter that takes ids has the name of the field', () => {
  const prefixes = [...new Set(operations.map(({ resource }) => resource.idPrefix)), 'prc', 'cpb']
  const found = operations.flatMap(({ parameters, resource }) =>
    parameters
      .filter((parameter) => parameter.in === 'query' && !['fields', 'q', 'cursor', 'expand'].includes(parameter.name))
      .map(({ name, schema }) => ({ name, resource, value: isArray(schema) ? (schema.element as z.ZodType) : schema }))
      .filter(({ value }) => takesIds(value, prefixes)),
  )
  expect(found.length).toBeGreaterThan(30)
  for (const { name, resource } of found) {
    // lesson_incomplete takes a lesson, and is about what the row lacks.
    const isOther = name in resource.schema.shape || name === 'lesson_incomplete'
    expect([resource.name, name, isOther || name.endsWith('_id')]).toEqual([resource.name, name, true])
  }
})

describe.each((await databasesToTest()).slice(0, 1))('every list on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open(), operations, undefined, { isWhole: true }))
  let rows: RowsToRead
  beforeAll(async () => {
    rows = await chooseRowsToRead(api)
  })

  test.each(lists)('$id has the envelope of lists, with limit and cursor, and its cursors lead through it', async (operation) => {
    const names = operation.parameters.map(({ name }) => name)
    expect([names.includes('limit'), names.includes('cursor')]).toEqual([true, true])
    const path = rows.addressOf(operation, rows.visible(operation))
    const page = async (query: Record<string, string>): Promise<Page> => {
      const reply = await api.get(`${path}?${new URLSearchParams(query)}`, { as: owner })
      expect([operation.id, reply.status, reply.json.error_description]).toEqual([operation.id, 200, undefined])
      return reply.json as unknown as Page
    }
    const first = await page({ limit: '1' })
    expect(first).toMatchObject({ object: 'list', page: { limit: 1, has_more: expect.any(Boolean), prev_cursor: null } })
    const { data } = await page({ limit: '100' })
    expect(first.data).toEqual(data.slice(0, 1))
    expect(first.page.has_more).toBe(data.length > 1)
    if (first.page.next_cursor === null) return
    const second = await page({ limit: '1', cursor: first.page.next_cursor })
    expect(second.data).toEqual(data.slice(1, 2))
    expect(await page({ limit: '1', cursor: String(second.page.prev_cursor) })).toMatchObject({ data: data.slice(0, 1) })
    const wrong = await api.get(`${path}?cursor=${first.page.next_cursor}x`, { as: owner })
    expect(wrong.json.error).toBe('invalid_cursor')
  })

  test.each(lists.filter(({ parameters }) => parameters.some(({ name }) => name === 'sort')))(
    '$id begins at the other end if a sort is reversed',
    async (operation) => {
      const path = rows.addressOf(operation, rows.visible(operation))
      const idsBy = async (sort: string): Promise<string[]> => {
        const { json } = await api.get(`${path}?limit=2&sort=${sort}`, { as: owner })
        return (json.data as { id: string }[]).map(({ id }) => id)
      }
      for (const { name, isDescending } of operation.resource.sorts) {
        if (isDescending) continue
        const [ascending, descending] = [await idsBy(name), await idsBy(`-${name}`)]
        expect([name, ascending[0] === descending[0]]).toEqual([name, ascending.length < 2])
      }
    },
  )

  test('no other response has a member data', () => {
    const paged = new Set(lists.map(({ id }) => id))
    const others = operations.filter(({ id }) => !paged.has(id))
    for (const operation of others) {
      const output =
        'output' in operation ? operation.output : 'rules' in operation && 'output' in operation.rules ? operation.rules.output : undefined
      const { data } = output ? membersOf(output) : {}
      expect([operation.id, data !== undefined && isArray(unwrapped(data))]).toEqual([operation.id, false])
    }
  })
})
