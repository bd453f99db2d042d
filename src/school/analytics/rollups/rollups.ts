import { couponRollup } from './couponRollup.ts'
import { courseRollup, paceRollup } from './courseRollups.ts'
import { eventRollup } from './eventRollup.ts'
import { orderRollup } from './orderRollup.ts'
import { planRollup } from './planRollup.ts'
import { productRollup } from './productRollup.ts'
import type { Rollup } from './rollup.ts'
import { schoolRollup } from './schoolRollup.ts'
import { taxRollup } from './taxRollup.ts'

/** Every table of figures that is a sum over rows. */
export const rollups: readonly Rollup[] = [
  schoolRollup,
  productRollup,
  orderRollup,
  courseRollup,
  paceRollup,
  planRollup,
  couponRollup,
  eventRollup,
  taxRollup,
]
