import { portion } from '../../domain/orders/prorateAmounts.ts'
import { day } from '../calendar.ts'
import { batch, coupons } from '../coupons.ts'
import type { SeededRandom } from '../seededRandom.ts'
import type { Learner } from './people.ts'

export type DemoOrderStatus = 'pending' | 'paid' | 'partially_refunded' | 'refunded' | 'failed' | 'canceled' | 'expired'

type Chosen = { type: string; product: number; unit: number }[]

export function couponUse(random: SeededRandom, now: number) {
  const used = new Set<string>()
  let batchUsed = 0
  const inKilnRoom = new Set([0, 1])
  return (at: number, learner: Learner, chosen: Chosen, { isFirst, status }: { isFirst: boolean; status: DemoOrderStatus }) => {
    const age = (now - at) / day
    const none: { coupon: null; discounts: number[] } = { coupon: null, discounts: [] }
    const take = (index: number, bps: number, fits: (line: Chosen[number]) => boolean = () => true) => {
      const key = `${learner.index} ${index}`
      if (used.has(key) || !chosen.some(fits)) return none
      used.add(key)
      return { coupon: index, discounts: chosen.map((line) => (fits(line) ? portion(line.unit, bps, 10_000) : 0)) }
    }
    // Canceled and failed orders have no coupon, with two exceptions.
    if (status !== 'paid') return isFirst && status !== 'failed' && age < 360 && random.chance(0.3) ? take(0, 1000) : none
    if (age < 99 && !used.has('once')) {
      used.add('once')
      return take(indexOf('ONEONLY'), 5000)
    }
    if (age < 44 && batchUsed < 7 && random.chance(0.3)) {
      batchUsed += 1
      return take(coupons.length + batchUsed * 3, batch.discount.bps)
    }
    if (isFirst && random.chance(0.3)) return take(indexOf('WELCOME10'), 1000)
    if (age < 239 && random.chance(0.25))
      return take(indexOf('KILN25'), 2500, ({ type, product }) => type === 'course' && inKilnRoom.has(product))
    if (age > 201 && age < 327 && chosen.length === 1 && random.chance(0.2)) {
      const [line] = chosen
      const index = indexOf('EXPIRED5')
      if (used.has(`${learner.index} ${index}`)) return none
      used.add(`${learner.index} ${index}`)
      return { coupon: index, discounts: [Math.min(500, line?.unit ?? 0)] }
    }
    if (age > 76 && age < 179 && random.chance(0.08)) return take(indexOf('PAUSED20'), 2000)
    return none
  }
}

const indexOf = (code: string): number => coupons.findIndex((coupon) => coupon.code === code)
