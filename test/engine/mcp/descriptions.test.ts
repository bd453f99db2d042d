import { expect, test } from 'vitest'
import { toolSchemas } from '../../../src/engine/mcp/toolSchemas.ts'
import { catalogueTools } from '../../../src/engine/mcp/tools.ts'
import { operationsIn, resources } from '../../../src/school/index.ts'

const operations = operationsIn(resources)
const tools = catalogueTools(operations, toolSchemas(operations))
const described = (name: string) => tools.find(({ listing }) => listing.name === name)?.listing.description

test('a tool is described by what it returns, and not by the resource that it belongs to', () => {
  expect(described('list_categories')).toBe(
    'Each category that has courses, with the number of courses that visitors see. Use its slug as the category filter of the list of courses.',
  )
  expect(described('list_post_tags')).toContain('Each tag of the published posts')
  expect(described('list_posts')).toBe('List posts: title, slug, kind, excerpt, tags, published_at, content_access.')
  expect(described('get_event')).toBe('An event of the school, such as a webinar or a workshop.')
})

test('a filter is described by its name, what it compares, and what the field is', () => {
  const courses = operations.find(({ id }) => id === 'listCourses')
  const descriptionOf = (name: string) => courses?.parameters.find((parameter) => parameter.name === name)?.description
  expect(
    ['tag', 'enrolled', 'price[lte]', 'created_at[gt]', 'created_at[lte]', 'published_at[exists]', 'slug[prefix]'].map(descriptionOf),
  ).toEqual([
    'Filter by tag: any of these values. A tag of the course.',
    'Filter by enrolled. Courses you are or were enrolled in (true), or all others (false).',
    'Rows with price of at most this. The price, in the smallest unit of the currency.',
    'Rows with created_at after this time. Creation time.',
    'Rows with created_at at this time or earlier. Creation time.',
    expect.stringMatching(/^Rows with a value in published_at \(true\) or without one \(false\)\. .+\.$/),
    expect.stringMatching(/^Rows whose slug begins with this text\. .+\.$/),
  ])
  const filters = operations.flatMap(({ parameters }) => parameters).filter(({ filter }) => filter !== undefined)
  expect(filters.length).toBeGreaterThan(100)
  for (const { name, description } of filters)
    expect([name, description]).toEqual([
      name,
      expect.stringMatching(/^(Filter by|Rows with|Rows that|Rows whose) [^.]+\. [\p{Lu}\d`].*[.!?]$/u),
    ])
})
