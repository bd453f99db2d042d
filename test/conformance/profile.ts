import { describe, expect, test } from 'vitest'
import type { RelyingParty } from './relyingParty.ts'

/** How the service does with one module of a profile. */
export interface Module {
  /**
   * `passes`: the module would pass. `not offered`: the feature is optional and not in the metadata, so that the suite skips the module or
   * accepts the error.
   */
  verdict: 'passes' | 'not offered'
  reason?: string
  check(party: RelyingParty): Promise<void>
}

export const passes = (check: Module['check']): Module => ({ verdict: 'passes', check })
export const notOffered = (reason: string, check: Module['check']): Module => ({
  verdict: 'not offered',
  reason,
  check,
})

/** Tests every module of a profile in the published order. A module without an entry, and an entry without a module, fail. */
export function testProfile(
  profile: string,
  published: readonly string[],
  { party, modules }: { party(): RelyingParty; modules: Readonly<Record<string, Module>> },
): void {
  describe(profile, () => {
    test('every published module has an entry, and no other', () => {
      expect(Object.keys(modules)).toEqual(published)
    })

    for (const [name, { verdict, reason, check }] of Object.entries(modules)) {
      const title = reason === undefined ? name : `${name} (${verdict}: ${reason})`
      test(title, async () => {
        await check(party())
        // A module without an assertion would always pass.
        expect(expect.getState().assertionCalls).toBeGreaterThan(0)
      })
    }
  })
}
