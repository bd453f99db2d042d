import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationsIn, resources } from '../../src/school/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

const owner = 'owner@example.com'

describe('an error names what the request could have been', () => {
  let api: DemoApi
  let course: string
  beforeAll(async () => {
    const [open] = (await databasesToTest()).toReversed()
    api = await startDemoApi(await (open as NonNullable<typeof open>).open())
    course = String((await api.send('/api/v1/courses', { as: owner, body: { title: 'Clay' } })).json.id)
  })
  afterAll(() => api.stop())

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
  let api: DemoApi
  beforeAll(async () => {
    const [open] = (await databasesToTest()).toReversed()
    api = await startDemoApi(await (open as NonNullable<typeof open>).open())
  })
  afterAll(() => api.stop())

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
