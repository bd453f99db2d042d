import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

const owner = 'owner@example.com'

describe('one response names everything that is wrong with a body', () => {
  let api: DemoApi
  beforeAll(async () => {
    const [open] = (await databasesToTest()).toReversed()
    api = await startDemoApi(await (open as NonNullable<typeof open>).open())
  })
  afterAll(() => api.stop())

  const refused = async (path: string, body: object, method = 'POST') => {
    const { status, json } = await api.send(path, { as: owner, method, body })
    const details = (json.details ?? []) as { field: string; message: string }[]
    return { status, fields: details.map(({ field }) => field), messages: details.map(({ message }) => message) }
  }

  test('fields that are wrong by themselves, and fields that do not fit together', async () => {
    const { status, fields } = await refused('/api/v1/courses', { title: null, capacity: 0, access: 'paid', price: null })
    expect([status, fields.toSorted()]).toEqual([422, ['capacity', 'price', 'title']])
  })

  test('the same where a row is changed', async () => {
    const { json } = await api.send('/api/v1/courses', { as: owner, body: { title: 'Clay' } })
    const { status, fields } = await refused(
      `/api/v1/courses/${json.id}`,
      { title: '', access: 'paid', lecturer_ids: ['lec_00000000000000000000000000'] },
      'PATCH',
    )
    expect([status, fields.toSorted()]).toEqual([422, ['lecturer_ids', 'price', 'title']])
  })

  test('a rule that reads a field which is wrong by itself does not judge without it', async () => {
    const { fields } = await refused('/api/v1/courses', { title: 'Clay', access: 'cheap', price: { amount: 100, currency: 'EUR' } })
    expect(fields).toEqual(['access'])
  })

  test('a taken address does not hide what else is wrong', async () => {
    const { status, fields } = await refused('/api/v1/students', { email: owner, name: '\u200b' })
    expect([status, fields]).toEqual([422, ['name']])
  })

  test('names and titles are trimmed, and refused where people cannot read them', async () => {
    const { json } = await api.send('/api/v1/courses', { as: owner, body: { title: '  Clay again\t' } })
    expect(json.title).toBe('Clay again')
    expect((await refused('/api/v1/courses', { title: '   ' })).messages).toEqual([
      'title: must not be empty. Send at least one character.',
    ])
    expect((await refused('/api/v1/courses', { title: 'a\u202eb' })).messages).toEqual([
      'title: must not contain control characters or changes of direction. Remove U+202E.',
    ])
    expect((await refused('/api/v1/lecturers', { display_name: '\u200b\u200b' })).messages).toEqual([
      'display_name: must have at least one visible character. Send a text that people can read.',
    ])
  })

  test('a member that objects cannot have is refused and not dropped', async () => {
    const reply = await api.send('/api/v1/courses', { as: owner, body: '{"title":"x","metadata":{"__proto__":"1","ok":"2"}}' })
    expect([reply.status, reply.json.details]).toEqual([
      422,
      [{ field: 'metadata', code: 'not_storable', message: 'metadata: must not have a member named __proto__. Rename it.' }],
    ])
  })

  test('messages name the field, the rule and the fix', async () => {
    const { messages } = await refused('/api/v1/courses', {
      capacity: 1.5,
      slug: 'A b',
      currency: 1,
      tags: 'clay',
      language: 'x'.repeat(40),
    })
    expect(messages).toEqual(
      expect.arrayContaining([
        'title: is required. Send it.',
        'capacity: must be a whole number. Remove the fraction.',
        'slug: must be lower-case words joined by hyphens, each in one script, such as a-b.',
        'tags: must be a list, is text.',
        'language: must have at most 35 characters, has 40. Shorten it.',
      ]),
    )
    const { json } = await api.get('/api/v1/courses?limit=0&created_at[gte]=x&status=none', { as: owner })
    for (const { message } of json.details as { message: string }[]) expect(message).not.toMatch(/Too small|Too big|Invalid|expected/)
  })
})
