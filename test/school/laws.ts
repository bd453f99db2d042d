import fc from 'fast-check'
import { expect } from 'vitest'
import { differences, dumpRows, type Rows } from '../support/schoolDump.ts'
import { runsOrThorough } from '../support/thorough.ts'
import type { DemoApi } from './demoApi.ts'

/** A row, and what it takes to change it. */
export interface Subject {
  id: string
  more?: Record<string, string>
}

/** An operation, the one that takes it back, and the states of the school in which it must leave everything as it was. */
export interface Law<State> {
  state: fc.Arbitrary<State>
  build(state: State): Promise<Subject>
  does(subject: Subject): Promise<unknown>
  undoes(subject: Subject): Promise<unknown>
  /** Columns that may change: they say when or by whom it was done. */
  except?: readonly string[]
  /** Columns of `subscription` that are later by the same time, which has passed since. */
  shifted?: readonly string[]
}

export async function checkLaw<State>(
  api: DemoApi,
  { state, build, does, undoes, except = [], shifted = [] }: Law<State>,
  runs = runsOrThorough(12, 100),
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(state, async (one) => {
      const subject = await build(one)
      const before = await dumpRows(api.database.sql, api.school.id)
      await does(subject)
      await undoes(subject)
      const after = await dumpRows(api.database.sql, api.school.id)
      expect(differences(before, unshifted(subject, { before, after, shifted }), except)).toEqual([])
    }),
    { numRuns: runs },
  )
}

/** Moves times of the subscription back by the length of its pause, which is the same for all. */
function unshifted({ id }: Subject, { before, after, shifted }: { before: Rows; after: Rows; shifted: readonly string[] }): Rows {
  const key = `subscription ${id}`
  const [old, row] = [before.get(key), after.get(key)]
  if (!old || !row || shifted.length === 0) return after
  const by = Date.parse(String(row.current_period_end)) - Date.parse(String(old.current_period_end))
  expect(by).toBeGreaterThanOrEqual(0)
  expect(by).toBeLessThan(60_000)
  const back = shifted.flatMap((name) =>
    typeof row[name] === 'string' && Date.parse(row[name]) - by === Date.parse(String(old[name])) ? [[name, old[name]]] : [],
  )
  return new Map(after).set(key, { ...row, ...Object.fromEntries(back) })
}
