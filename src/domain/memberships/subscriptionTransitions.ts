/** States of a subscription. The last two are final: who comes back starts another one. */
export const subscriptionStates = ['incomplete', 'trialing', 'active', 'past_due', 'paused', 'canceled', 'expired'] as const
export type SubscriptionState = (typeof subscriptionStates)[number]

/** What can happen to one. */
export type Cause =
  /** The first payment, or the next one, has come; or there was nothing to pay. */
  | 'paid'
  /** A payment was refused, or was due and did not come. */
  | 'unpaid'
  /** It ends: because somebody says so, because the time has come, or because nobody paid in time. */
  | 'canceled'
  /** It never began: nobody paid in time, or the person is gone. */
  | 'given_up'
  | 'paused'
  | 'resumed'

const transitions: Readonly<Record<SubscriptionState, Partial<Record<Cause, SubscriptionState>>>> = {
  incomplete: { paid: 'active', given_up: 'expired' },
  trialing: { paid: 'active', unpaid: 'past_due', canceled: 'canceled', paused: 'paused' },
  active: { paid: 'active', unpaid: 'past_due', canceled: 'canceled', paused: 'paused' },
  past_due: { paid: 'active', canceled: 'canceled' },
  paused: { resumed: 'active', canceled: 'canceled' },
  canceled: {},
  expired: {},
}

/** Where a cause leads; undefined where it leads nowhere. */
export const stateAfter = (state: string, cause: Cause): SubscriptionState | undefined => transitions[state as SubscriptionState]?.[cause]

/** States that a cause leads out of. */
export const statesBefore = (cause: Cause): SubscriptionState[] => subscriptionStates.filter((state) => stateAfter(state, cause))

/** Whether it is over for good. */
export const isFinal = (state: string): boolean => state === 'canceled' || state === 'expired'
