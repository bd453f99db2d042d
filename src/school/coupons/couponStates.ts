export const pauseCoupon = async ({ now }: { now: Date }) => ({ paused_at: now })

export const resumeCoupon = async () => ({ paused_at: null })

export const archiveCoupon = async ({ now }: { now: Date }) => ({ archived_at: now })

/** Restores an archived coupon. Its status follows from its dates and uses again. */
export const restoreCoupon = async () => ({ archived_at: null })
