import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide, requestedScopes } from '../../src/pages/consentScopes.ts'
import { catalogue } from './service.ts'

const names = catalogue.map(({ name }) => name)
const prompt = (details: object) => ({ name: 'consent', reasons: [], details: { ...details } })
const someNames = fc.subarray([...names, 'no:such', 'offline_access'])

describe('requested scopes', () => {
  test('is read from the stored request, in the order of the catalogue', () => {
    const requested = requestedScopes(
      {
        params: { scope: 'orders:read offline_access openid' },
        prompt: prompt({ missingOIDCScope: ['orders:read', 'openid'], missingResourceScopes: { 'https://a': ['openid'] } }),
      },
      catalogue,
    )
    expect(requested.known.map(({ name }) => name)).toEqual(['openid', 'orders:read'])
    expect(requested.unknown).toEqual([])
    expect([...requested.resources]).toEqual([['https://a', ['openid']]])
  })

  test('unknown scopes of the engine are declined, not ignored', () => {
    const requested = requestedScopes({ params: {}, prompt: prompt({ missingOIDCScope: ['secret:scope'] }) }, catalogue)
    expect(decide(requested, new Set(['secret:scope']), new Set(['secret:scope']))).toEqual({ granted: [], refused: ['secret:scope'] })
  })
})

describe('the decision', () => {
  test('grants only what was asked, may be granted and was ticked or is included, and answers for everything', () => {
    fc.assert(
      fc.property(someNames, someNames, someNames, (asked, may, ticked) => {
        const requested = requestedScopes({ params: { scope: asked.join(' ') }, prompt: prompt({ missingOIDCScope: asked }) }, catalogue)
        const { granted, refused } = decide(requested, new Set(may), new Set(ticked))
        for (const name of granted)
          expect([asked.includes(name), may.includes(name), ticked.includes(name) || name === 'openid', names.includes(name)]).toEqual([
            true,
            true,
            true,
            true,
          ])
        expect(granted.includes('openid')).toBe(asked.includes('openid') && may.includes('openid'))
        expect([...granted, ...refused].toSorted()).toEqual(asked.toSorted())
      }),
    )
  })
})
