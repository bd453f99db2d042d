/** Pauses a coupon: it cannot be used until it is resumed. */
export const pauseCoupon = async ({ now }: { now: Date }) => ({ paused_at: now })

/** Resumes a coupon: it can be used again within its dates and its number of uses. */
export const resumeCoupon = async () => ({ paused_at: null })

/** Archives a coupon permanently. */
export const archiveCoupon = async ({ now }: { now: Date }) => ({ archived_at: now })
