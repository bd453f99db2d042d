import { beforeAll, describe, expect, test } from 'vitest'
import { operationsIn, resources } from '../../src/school/index.ts'
import { openTestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { startDemoApi } from './demoApi.ts'

const owner = 'owner@example.com'

describe('an error names what the request could have been', () => {
  const api = duringTests(async () => startDemoApi(await openTestDatabase()))
  let course: string
  beforeAll(async () => {
    course = String((await api.send('/api/v1/courses', { as: owner, body: { title: 'Clay' } })).json.id)
  })

  const refused = async (path: string, options: { method?: string; body?: object } = {}) => {
    const { status, json } =
      options.body || options.method ? await api.send(path, { as: owner, ...options }) : await api.get(path, { as: owner })
    return {
      status,
      code: json.error,
      text: String(json.error_description),
      details: (json.details ?? []) as { code: string; message: string }[],
    }
  }

  test.each([
    ['/api/v1/events?fields=rsvps_count', 'fields: there is no rsvps_count', ', starts_at, '],
    ['/api/v1/courses?expand=person', 'expand: there is no person', 'It takes'],
    ['/api/v1/courses?search=clay', 'has no parameter search: did you mean q?', ''],
    ['/api/v1/courses?query=clay', 'did you mean q?', ''],
    ['/api/v1/courses?per_page=5', 'did you mean limit?', ''],
    ['/api/v1/courses?order_by=title', 'did you mean sort?', ''],
    ['/api/v1/courses?starting_after=x', 'did you mean cursor?', ''],
  ])('%s', async (path, sentence, other) => {
    const { status, text } = await refused(path)
    expect(status).toBe(400)
    expect(text).toContain(sentence)
    expect(text).toContain(other)
  })

  test.each([
    ['course', 'courses'],
    ['coupon', 'coupons'],
    ['coupon/SPRING25', 'coupons'],
    ['products', 'digital_products'],
    ['plans', 'membership_plans'],
    ['studnets', 'students'],
  ])('GET /%s asks: did you mean /api/v1/%s?', async (path, meant) => {
    const { status, text } = await refused(`/api/v1/${path}`)
    expect([status, text]).toEqual([404, expect.stringContaining(`Did you mean /api/v1/${meant}?`)])
  })

  test('a path below a known one names the document of its resource, and any other the map', async () => {
    expect((await refused('/api/v1/posts/first/schedule', { method: 'POST', body: {} })).text).toContain(
      '/docs/posts.md lists its operations.',
    )
    expect((await refused('/api/v1/bread')).text).toContain('/api.md lists every operation.')
  })

  test('an unknown member of an object names its members', async () => {
    const { json } = await api.send(`/api/v1/courses/${course}/sections`, { as: owner, body: { title: 'First' } })
    const quiz = { questions: [{ question: 'Which clay?', options: ['a', 'b'], answer: 'a', kind: 'single', prompt: 'Which clay?' }] }
    const { status, text, details } = await refused(`/api/v1/sections/${json.id}/lessons`, { body: { title: 'Quiz', kind: 'quiz', quiz } })
    expect(status).toBe(422)
    expect(text).toContain(
      'There is no field quiz.questions.0.question: it takes id, kind, prompt, choices, accepted_answers, points, explanation.',
    )
    expect(details.map(({ code }) => code)).toEqual(['unknown_field', 'unknown_field', 'unknown_field'])
  })

  test('an unknown field of a body names the nearest field, or else all', async () => {
    expect((await refused('/api/v1/courses', { body: { titel: 'Clay' } })).text).toContain('There is no field titel: did you mean title?')
    expect((await refused('/api/v1/courses', { body: { title: 'Clay', zzzzzzzzz: 1 } })).text).toContain(
      'There is no field zzzzzzzzz: it takes title, slug, ',
    )
    const { details } = await refused('/api/v1/coupons/validate', { body: { code: 'A', items: [], zzzzzzzzz: 1 } })
    expect(details.map(({ message }) => message)).toContain('There is no field zzzzzzzzz: it takes code, items.')
  })

  test('a union lists the allowed words', async () => {
    const body = { code: 'LOOM20', discount: { percent: 20 } }
    expect((await refused('/api/v1/coupons', { body })).text).toContain('discount.type: must be one of percent, amount.')
    expect((await refused('/api/v1/pages', { body: { title: 'A', blocks: [{ type: 'heading' }] } })).text).toContain(
      'blocks.0.type: must be one of hero, text, image',
    )
  })

  test('the code is that of the first error, however many there are', async () => {
    const one = await refused('/api/v1/courses', { body: { nothing_like_it: 1, title: 'Clay' } })
    const two = await refused('/api/v1/courses', { body: { nothing_like_it: 1, title: '' } })
    const three = await refused('/api/v1/courses', { body: { nothing_like_it: 1, title: '', status: 'published' } })
    expect([one.code, two.code, three.code]).toEqual(['unknown_field', 'unknown_field', 'unknown_field'])
    expect(three.details.map(({ code }) => code)).toEqual(['unknown_field', 'min', 'read_only_field'])
    expect(three.text).toContain('There is no field nothing_like_it')
    expect(three.text).toContain('2 more in details.')
    expect((await refused('/api/v1/courses', { body: { title: '', nothing_like_it: 1 } })).code).toBe('validation_failed')
  })
})

describe('paths that the API does not have name where the school does it', () => {
  const api = duringTests(async () => startDemoApi(await openTestDatabase()))

  const sentenceOf = (name: string): string =>
    operationsIn(resources).find(({ resource }) => resource.name === name)?.resource.notInApi ?? 'none'
  const id = 'cmt_01jgwejj00e6srgkpqm2sqf05m'

  test.each([
    ['POST', `comments/${id}/hide`, 404, 'comments'],
    ['PATCH', `comments/${id}`, 405, 'comments'],
    ['DELETE', `comments/${id}`, 405, 'comments'],
    ['POST', 'comments', 405, 'comments'],
    ['POST', `posts/${id}/comments`, 405, 'comments'],
    ['POST', 'orders/2026-000001/refund', 404, 'orders'],
    ['POST', 'orders/2026-000001/refunds', 405, 'orders'],
    ['POST', 'orders', 405, 'orders'],
    ['POST', 'refunds', 404, 'orders'],
    ['POST', 'forms', 405, 'forms'],
    ['PATCH', 'forms/ask-the-studio', 405, 'forms'],
    ['DELETE', `form_submissions/${id}`, 405, 'form_submissions'],
  ])('%s /%s', async (method, path, status, name) => {
    const { status: given, json } = await api.send(`/api/v1/${path}`, { as: owner, method, body: {} })
    expect(given).toBe(status)
    expect(json.error_description).toContain(sentenceOf(name))
  })
})

describe('one response names everything that is wrong with a body', () => {
  const api = duringTests(async () => startDemoApi(await openTestDatabase()))

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
