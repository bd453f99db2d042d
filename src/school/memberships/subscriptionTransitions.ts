/** States of a subscription. The last two are final: a person who returns starts another subscription. */
export const subscriptionStates = ['incomplete', 'trialing', 'active', 'past_due', 'paused', 'canceled', 'expired'] as const
export type SubscriptionState = (typeof subscriptionStates)[number]

export type Cause =
  /** The first or the next payment arrived, or nothing is due. */
  | 'paid'
  /** A payment was declined, or did not arrive in time. */
  | 'unpaid'
  /** It ended: by request, at the end of its period, or because a payment stayed outstanding. */
  | 'canceled'
  /** It never started: the first payment did not arrive in time, or the person was removed. */
  | 'given_up'
  | 'paused'
  /** The trial or the period goes on, whichever the pause interrupted. */
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

export const stateAfter = (state: string, cause: Cause): SubscriptionState | undefined => transitions[state as SubscriptionState]?.[cause]

export const statesBefore = (cause: Cause): SubscriptionState[] => subscriptionStates.filter((state) => stateAfter(state, cause))

export const isFinal = (state: string): boolean => state === 'canceled' || state === 'expired'
