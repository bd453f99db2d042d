import { Problem } from '../../lib/problem.ts'

interface Coupon {
  status?: unknown
  archived_at: Date | null
  paused_at: Date | null
}

const wrongState = (status: unknown, verb: string): Problem =>
  new Problem('invalid_state', {
    description: `A coupon with the status ${String(status)} cannot be ${verb}.`,
    details: [{ code: 'invalid_state', message: `The coupon has the status ${String(status)}.`, meta: { status } }],
  })

/** True for a coupon whose state is final. */
const isFinal = ({ status }: Coupon): boolean => status === 'archived' || status === 'expired'

/** Pauses a coupon: it cannot be used until it is resumed. */
export async function pauseCoupon({ now }: { now: Date }, coupon: Coupon) {
  if (isFinal(coupon)) throw wrongState(coupon.status, 'paused')
  return coupon.paused_at ? undefined : { paused_at: now }
}

/** Resumes a coupon: it can be used again within its dates and its number of uses. */
export async function resumeCoupon(_context: object, coupon: Coupon) {
  if (isFinal(coupon)) throw wrongState(coupon.status, 'resumed')
  return coupon.paused_at ? { paused_at: null } : undefined
}

/** Archives a coupon permanently. */
export async function archiveCoupon({ now }: { now: Date }, coupon: Coupon) {
  return coupon.archived_at ? undefined : { archived_at: now }
}
