import type { Rollup } from '../rollup.ts'
import { couponRollup } from './coupons.ts'
import { courseRollup, paceRollup } from './courses.ts'
import { eventRollup } from './events.ts'
import { orderRollup } from './orders.ts'
import { planRollup } from './plans.ts'
import { productRollup } from './products.ts'
import { schoolRollup } from './school.ts'

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
]
