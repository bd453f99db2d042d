import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxText, toolText } from '../../../src/engine/mcp/toolText.ts'

const row = (length: number) => ({ id: 'crs_1', object: 'course', description: 'x'.repeat(length) })

test('an answer that fits is its JSON', () => {
  expect(toolText(row(100))).toBe(JSON.stringify(row(100)))
})

test('a long row keeps all of its fields, with shorter texts', () => {
  const { truncated, id, description } = JSON.parse(toolText(row(200_000)))
  expect([truncated, id, description.length]).toEqual([true, 'crs_1', 4002])
})

test('a page with one long row keeps its cursor, whatever has to go', () => {
  const page = { has_more: true, next_cursor: 'c'.repeat(900) }
  const endless = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`field_${index}`, 'x'.repeat(5000)]))
  for (const data of [[row(50_000)], [{ id: 'crs_1', ...endless }]]) {
    const text = JSON.parse(toolText({ object: 'list', data, page }))
    expect([text.truncated, text.page, text.data[0].id]).toEqual([true, page, 'crs_1'])
  }
})

test('whatever is answered, the text is JSON of at most 20 000 characters', async () => {
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.string().map((text) => text.repeat(3000)),
    fc.array(fc.string(), { maxLength: 5 }),
  )
  const answer = fc.dictionary(
    fc.string(),
    fc.oneof(value, fc.array(fc.dictionary(fc.string(), value)), fc.constant(Array(300).fill(row(900)))),
  )
  await fc.assert(
    fc.property(answer, (body) => {
      const text = toolText(body)
      expect(text.length).toBeLessThanOrEqual(maxText)
      if (text !== JSON.stringify(body)) expect(JSON.parse(text).truncated).toBe(true)
    }),
    { numRuns: 60 },
  )
})
