export const orderStatuses = ['pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled', 'expired'] as const
