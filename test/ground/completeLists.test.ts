import { expect, test } from 'vitest'
import { rateLimitTexts } from '../../src/config/rateLimits.ts'
import { auditEvents } from '../../src/database/tables/auditEvents.ts'
import { accountSections } from '../../src/pages/account/accountNavigation.ts'
import { checkPlanted } from './planted.ts'

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join('\n')

/** Checks a tree that names everything but these. */
function without(...left: string[]): ReturnType<typeof checkPlanted> {
  const named = (names: readonly string[]): string => quoted(names.filter((name) => !left.includes(name)))
  return checkPlanted(
    {
      'src/a.ts': named([...Object.keys(auditEvents), ...Object.keys(rateLimitTexts)]),
      'test/browser/tour.ts': named(accountSections.map(({ path }) => path)),
    },
    ['scripts/completeLists.ts'],
  )
}

test('a tree that names everything passes', () => {
  expect(without()).toMatchObject({ code: 0 })
})

test('an audit event that nothing records, a limit that nothing counts and a page that no test visits are reported, with the way out', () => {
  const { code, output } = without('session.ended', 'calendar', '/account/orders')
  expect(output.trim().split('\n')).toEqual([
    'no module records session.ended: record it, or remove it from src/database/tables/auditEvents.ts',
    'no module counts calendar: create it in src/operate/compose/rateLimits.ts, or remove it from src/config/rateLimits.ts',
    'no test visits /account/orders: add a stop to test/browser/tour.ts',
  ])
  expect(code).toBe(1)
})
