import { Problem } from '../../lib/problem.ts'

interface Coupon {
  status?: unknown
  archived_at: Date | null
  paused_at: Date | null
}

const refused = (status: unknown, verb: string): Problem =>
  new Problem('invalid_state', {
    description: `A coupon that is ${String(status)} cannot be ${verb}.`,
    details: [{ code: 'invalid_state', message: `It is ${String(status)}.`, meta: { status } }],
  })

/** What is over for good takes no other state. */
const isOver = ({ status }: Coupon): boolean => status === 'archived' || status === 'expired'

/** Lets nobody use it until it is resumed. */
export async function pauseCoupon({ now }: { now: Date }, coupon: Coupon) {
  if (isOver(coupon)) throw refused(coupon.status, 'paused')
  return coupon.paused_at ? undefined : { paused_at: now }
}

/** Lets it be used again, as far as its dates and its number allow. */
export async function resumeCoupon(_context: object, coupon: Coupon) {
  if (isOver(coupon)) throw refused(coupon.status, 'resumed')
  return coupon.paused_at ? { paused_at: null } : undefined
}

/** Ends it for good. */
export async function archiveCoupon({ now }: { now: Date }, coupon: Coupon) {
  return coupon.archived_at ? undefined : { archived_at: now }
}
