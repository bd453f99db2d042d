import type { Happening } from '../calendar.ts'
import type { Learner } from '../generate/people.ts'
import { demoIds } from '../ids.ts'
import { teamCount } from '../school.ts'

export interface Context {
  schoolId: string
  now: number
  id(kind: string, index: number): string
  personId(learner: Learner): string
  base(kind: string, event: Happening, changedAt?: number | null): { school_id: string; id: string; created_at: Date; updated_at: Date }
}

export function createContext(schoolId: string, now: Date): Context {
  const id = demoIds(schoolId)
  return {
    schoolId,
    now: now.getTime(),
    id,
    personId: ({ index }) => id('person', teamCount + index),
    base: (kind, { at, number }, changedAt) => ({
      school_id: schoolId,
      id: id(kind, number),
      created_at: new Date(at),
      updated_at: new Date(changedAt ?? at),
    }),
  }
}

export const dateOf = (time: number | null | undefined): Date | null => (time === null || time === undefined ? null : new Date(time))
