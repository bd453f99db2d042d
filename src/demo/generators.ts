import type { CopiedValue } from '../store/copyText.ts'
import { learnerRow } from './learnerRow.ts'
import { learnersCount } from './learners.ts'

/** Makes the rows of one table that a larger school has beyond the demo's own. */
export interface RowGenerator {
  /** What they are, in the plural. */
  name: string
  table: string
  /** How many rows there are at this scale, those of the demo included. The demo's own come first. */
  count(scale: number): number
  /** How many of them are the demo's own. */
  own: number
  /** The row of this number. Ids rise with it. */
  row(index: number): Record<string, CopiedValue> & { id: string }
}

/** What grows with the scale, in the order in which rows refer to each other. */
export const generators = (schoolId: string, now: Date): readonly RowGenerator[] => [
  {
    name: 'people',
    table: 'person',
    count: (scale) => learnersCount * scale,
    own: learnersCount,
    row: (index) => learnerRow(schoolId, now, index),
  },
]
