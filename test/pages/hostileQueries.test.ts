import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { siteKinds } from '../../src/engine/sitePaths.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

const service = duringTests(() => startService())

const paths = [
  '/',
  ...siteKinds.map((kind) => `/${kind}`),
  ...siteKinds.map((kind) => `/${kind}/x`),
  '/events/calendar.ics',
  '/posts/feed.xml',
]
const names = ['cursor', 'page', 'past', 'q', 'sort', 'limit', 'lang', 'done', 'level', 'tag', 'constructor', '__proto__', '']
const nasty = ['\0', '%', 'constructor', '__proto__', 'toString', '-1', '1e999', '\ud800', 'a.b', 'bm8.bm8', "'", '😀'.repeat(200)]

test('no query of a public page causes a failure, for people, agents and programs', async () => {
  const value = fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'binary', maxLength: 30 }))
  const query = fc.array(fc.tuple(fc.constantFrom(...names), value), { minLength: 1, maxLength: 4 })
  const accept = fc.constantFrom('text/html', 'text/markdown', 'application/json', '*/*')
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), query, accept, async (path, pairs, type) => {
      const text = pairs.map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join('=')).join('&')
      const response = await fetch(`${service.issuer}${path}?${text}`, { headers: { accept: type }, redirect: 'manual' })
      await response.text()
      expect([path, text, response.status]).toEqual([path, text, expect.toSatisfy((status: number) => status < 500)])
    }),
    { numRuns: 200, examples: siteKinds.map((kind) => [`/${kind}`, [['cursor', '\0']], 'text/html']) },
  )
  expect(service.log()).not.toContain('"level":50')
})

test('a cursor that no list has is explained on a page with status 400', async () => {
  for (const kind of siteKinds) {
    const response = await fetch(`${service.issuer}/${kind}?cursor=%00`, { headers: { accept: 'text/html' } })
    expect([kind, response.status]).toEqual([kind, 400])
    expect(await response.text()).toContain('error=invalid_')
  }
})
