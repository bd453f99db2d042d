import { expect, test } from 'vitest'
import { toolSchemas } from '../../../src/engine/mcp/toolSchemas.ts'
import { catalogueTools } from '../../../src/engine/mcp/tools.ts'
import { operationsIn, resources } from '../../../src/school/index.ts'

interface Input {
  properties: Record<string, { enum?: string[]; items?: { enum?: string[] } }>
}

const operations = operationsIn(resources)
const tools = catalogueTools(operations, toolSchemas(operations)).map(({ listing }) => listing)
const parametersOf = (name: string): string[] =>
  Object.keys((tools.find((tool) => tool.name === name)?.inputSchema as Input | undefined)?.properties ?? {})

/** An estimate: schemas have about 3.3 bytes in a token. */
const tokensOf = (bytes: number): number => Math.ceil(bytes / 3.3)

test('the list of tools has less than 25 kB; without the schemas of results, which models do not read, 17 kB or about 5,000 tokens', () => {
  const read = Buffer.byteLength(JSON.stringify({ tools: tools.map(({ outputSchema: _, ...tool }) => tool) }))
  const largest = Math.max(...tools.map((tool) => Buffer.byteLength(JSON.stringify(tool))))
  expect(tokensOf(read)).toBeLessThan(5100)
  expect(read).toBeLessThan(17_000)
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(25_000)
  expect(largest).toBeLessThan(2200)
})

test('every tool has a schema of its structured result', () => {
  expect(tools.filter(({ outputSchema }) => Object.keys(outputSchema?.properties ?? {}).length === 0).map(({ name }) => name)).toEqual([])
})

test('a tool has only the parameters that a visitor can use, and the API keeps all', () => {
  expect(parametersOf('list_courses')).toEqual(
    expect.arrayContaining(['q', 'level', 'category', 'tag', 'price_lte', 'lecturer_id', 'sort', 'limit', 'cursor', 'fields']),
  )
  for (const { name } of tools) {
    const wrong = parametersOf(name).filter(
      (parameter) =>
        /^(created|updated|published)_at|_exists$|_prefix$|^(status|visibility|enrolled|owned|include|external_id)$/.test(parameter) ||
        (parameter === 'expand' && name.startsWith('list_')),
    )
    expect([name, wrong]).toEqual([name, []])
  }
  const values = tools.flatMap(({ inputSchema }) =>
    Object.values((inputSchema as Input).properties).flatMap((property) => property.enum ?? property.items?.enum ?? []),
  )
  expect(values).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(draft|scheduled|archived|hidden|unlisted|-?updated_at)$/)]))
  const kept = operationsIn(resources)
    .find(({ id }) => id === 'listCourses')
    ?.parameters.map(({ name }) => name)
  expect(kept).toEqual(expect.arrayContaining(['status', 'enrolled', 'created_at[gte]', 'slug[prefix]', 'expand']))
})

test('the courses of a lecturer are a filter, not a second tool', () => {
  const names = tools.map(({ name }) => name)
  expect(names.filter((name) => name.endsWith('courses'))).toEqual(['list_courses'])
  expect(operationsIn(resources).map(({ id }) => id)).toContain('listLecturerCourses')
})
