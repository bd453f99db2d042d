import { describe, expect, test } from 'vitest'
import {
  contextFor,
  contexts,
  isSatisfied,
  requestedContexts,
  satisfiedBy,
  strongest,
} from '../../src/identity/signIn/authenticationContext.ts'

const { multiFactor, phishingResistant } = contexts

describe('authentication contexts', () => {
  test('include weaker ones: a passkey is also multi-factor, and a password is nothing', () => {
    expect(satisfiedBy(phishingResistant)).toEqual([multiFactor, phishingResistant])
    expect(satisfiedBy(multiFactor)).toEqual([multiFactor])
    expect([satisfiedBy(undefined), satisfiedBy('urn:example:unknown'), satisfiedBy('')]).toEqual([[], [], []])
  })

  test('are reported in the order of preference of the request, and as the strongest without one', () => {
    expect(contextFor(phishingResistant, { values: [multiFactor, phishingResistant] })).toBe(multiFactor)
    expect(contextFor(phishingResistant, { values: ['urn:example:unknown'] })).toBe(phishingResistant)
    expect(contextFor(multiFactor, { values: [phishingResistant] })).toBe(multiFactor)
    expect(contextFor(undefined, { values: [multiFactor] })).toBeUndefined()
  })

  test('are never satisfied by a weaker sign-in', () => {
    expect(isSatisfied(multiFactor, { values: [phishingResistant] })).toBe(false)
    expect(isSatisfied(undefined, { values: [multiFactor] })).toBe(false)
    expect(isSatisfied(undefined, { values: [] })).toBe(true)
  })

  test('of a sign-in with several factors are the strongest one, in any order', () => {
    expect([strongest(undefined, multiFactor), strongest(multiFactor, undefined)]).toEqual([multiFactor, multiFactor])
    expect([strongest(phishingResistant, multiFactor), strongest(multiFactor, phishingResistant)]).toEqual([
      phishingResistant,
      phishingResistant,
    ])
  })
})

describe('the requested contexts', () => {
  test('come from claims first, and are essential only with a value', () => {
    const claims = (acr: unknown): string => JSON.stringify({ id_token: { acr } })
    expect(requestedContexts({ acr_values: ' phr  x ' })).toEqual({ values: ['phr', 'x'], isEssential: false })
    expect(requestedContexts({ acr_values: 'x', claims: claims({ essential: true, values: ['phr'] }) })).toEqual({
      values: ['phr'],
      isEssential: true,
    })
    expect(requestedContexts({ claims: claims({ essential: true }) })).toEqual({ values: [], isEssential: false })
    expect(requestedContexts({ claims: claims(null) })).toEqual({ values: [], isEssential: false })
    expect(requestedContexts({})).toEqual({ values: [], isEssential: false })
  })
})
