// Proves MCP completion: Slugs and arguments are completed with public values only

import { expect, test } from 'vitest'
import { startDemoApi } from '../../school/demoApi.ts'
import { openTestDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { post, type RpcReply, request } from './rpc.ts'

const api = duringTests(async () => startDemoApi(await openTestDatabase()))

const complete = async (ref: object, name: string, value: string): Promise<RpcReply['json']> =>
  (await post(api.school.issuer, request('completion/complete', { ref, argument: { name, value } }))).json
const template = (uri: string) => ({ type: 'ref/resource', uri })
const prompt = (name: string) => ({ type: 'ref/prompt', name })
const valuesOf = async (...args: Parameters<typeof complete>): Promise<string[]> => (await complete(...args)).result.completion.values

test('the slugs of a template are those that a visitor finds in the list', async () => {
  const { json } = await api.get('/api/v1/courses?limit=100')
  const slugs = (json.data as { slug: string }[]).map(({ slug }) => slug)
  expect((await valuesOf(template('school://courses/{slug}'), 'slug', '')).toSorted()).toEqual(slugs.toSorted())
  for (const uri of ['school://courses/{slug}', 'school://courses/{slug}/outline'])
    expect(await valuesOf(template(uri), 'slug', 'Clay')).toEqual(['clay-from-scratch'])
  expect(await valuesOf(template('school://pages/{slug}'), 'slug', 'ab')).toEqual(['about'])
})

test('the arguments of prompts are completed where their values are known', async () => {
  expect(await valuesOf(prompt('plan_my_week'), 'course', 'make-')).toEqual(['make-one-chair'])
  expect(await valuesOf(prompt('recommend_course'), 'level', 'b')).toEqual(['beginner'])
  for (const [name, value] of [
    ['goal', 'x'],
    ['none', ''],
    ['level', 'x'.repeat(500)],
  ] as const)
    expect(await valuesOf(prompt('recommend_course'), name, value)).toEqual([])
})

test('hidden rows, patterns and wild values complete nothing', async () => {
  const { json } = await api.get('/api/v1/courses?limit=100', { as: 'owner@example.com' })
  const hidden = (json.data as { slug: string; status: string; visibility: string }[]).filter(
    ({ status, visibility }) => status !== 'published' || visibility !== 'public',
  )
  expect(hidden.length).toBeGreaterThan(0)
  for (const value of [...hidden.map(({ slug }) => slug), '%', '_', '\0', "'", 'x'.repeat(10_000)])
    expect([value, await valuesOf(template('school://courses/{slug}'), 'slug', value)]).toEqual([value, []])
})

test('a reference to nothing is invalid params', async () => {
  for (const ref of [
    prompt('none'),
    template('school://nothing/{slug}'),
    template('school://courses/clay-from-scratch'),
    { type: 'ref/tool' },
  ])
    expect([ref, (await complete(ref, 'slug', '')).error?.code]).toEqual([ref, -32602])
})
