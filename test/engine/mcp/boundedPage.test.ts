import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boundedPage } from '../../../src/engine/mcp/boundedPage.ts'
import { partOfList } from '../../../src/engine/mcp/partOfList.ts'
import { type Json, maxText, toolText } from '../../../src/engine/mcp/toolText.ts'

interface Text {
  data: { id: number; parts?: { key: string }[] }[]
  page?: { has_more: boolean; next_cursor: string | null }
}

const size = fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 5000, max: 60_000 }), fc.constant(19_000))

/** A list of rows of these lengths, whose pages begin at a cursor. */
const listOf =
  (lengths: readonly number[], cursor: string | null, limit: number) =>
  async (asked = limit): Promise<Json> => {
    const start = cursor === null ? 0 : Number(cursor.replace(/\D+/g, ''))
    const data = lengths
      .slice(start, start + asked)
      .map((length, index) => ({ id: start + index, object: 'row', text: 'é'.repeat(length) }))
    const next = start + asked < lengths.length ? `${'c'.repeat(300)}${start + asked}` : null
    return { object: 'list', data, page: { limit: asked, has_more: next !== null, next_cursor: next, prev_cursor: cursor } }
  }

/** Follows only what a model reads. */
async function follow(textAt: (cursor: string | null) => Promise<string>): Promise<Text[]> {
  const texts: Text[] = []
  let cursor: string | null = null
  do {
    const text = await textAt(cursor)
    expect(text.length).toBeLessThanOrEqual(maxText)
    const read = JSON.parse(text) as Text
    texts.push(read)
    cursor = read.page?.next_cursor ?? null
    expect(read.page?.has_more ?? false).toBe(cursor !== null)
    expect(texts.length).toBeLessThan(2000)
  } while (cursor !== null)
  return texts
}

describe('a caller that follows the text alone', () => {
  test('sees every row of a list exactly once, whatever the lengths of the rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(size, { maxLength: 60 }), fc.integer({ min: 1, max: 50 }), async (lengths, limit) => {
        const texts = await follow(async (cursor) => toolText(await boundedPage(listOf(lengths, cursor, limit))))
        expect(texts.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(lengths.map((_, index) => index))
      }),
      { numRuns: 100 },
    )
  })

  test('sees every entry of a list without pages, and every entry inside it, exactly once', async () => {
    const entry = fc.record({ length: fc.integer({ max: 3000, min: 0 }), parts: fc.array(size, { maxLength: 40 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (entries) => {
        const data = entries.map(({ length, parts }, id) => ({
          id,
          title: 'x'.repeat(length),
          parts: parts.map((part, index) => ({ key: `${id}-${index}`, text: 'x'.repeat(part) })),
        }))
        const answer = { object: 'list', version: 3, data }
        const texts = await follow(async (cursor) => toolText(partOfList(answer, 'data', cursor ?? undefined)))
        const seen = texts.flatMap((text) => text.data)
        expect([...new Set(seen.map(({ id }) => id))]).toEqual(data.map(({ id }) => id))
        expect(seen.flatMap(({ parts = [] }) => parts.map(({ key }) => key))).toEqual(
          data.flatMap(({ parts }) => parts.map(({ key }) => key)),
        )
      }),
      { numRuns: 100 },
    )
  })
})

test('a page that was cut says how to get the rest, and one that fits is not requested twice', async () => {
  const cut = await boundedPage(listOf(Array(30).fill(1500), null, 30))
  expect(cut).toMatchObject({ note: expect.stringContaining('Send cursor'), page: { has_more: true } })
  let requests = 0
  const whole = await boundedPage(async (limit) => {
    requests += 1
    return listOf(Array(30).fill(100), null, 30)(limit)
  })
  expect([requests, 'note' in whole]).toEqual([1, false])
})

test('another text than a place is a wrong cursor', () => {
  for (const cursor of ['', 'x', '1', '-1.0', '1.0.0', '1e3.0', '9'.repeat(30)])
    expect(() => partOfList({ data: [] }, 'data', cursor)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }))
})
