import type { EventRow } from '../school/apiRows.ts'

/** The registration of a person for an event: its state, which names its text, and what the person may do now. */
export interface Registration {
  state:
    | 'canceled_event'
    | 'ended'
    | 'attended'
    | 'going'
    | 'offered'
    | 'waiting'
    | 'not_admitted'
    | 'early'
    | 'closed'
    | 'full'
    | 'full_waitlist'
    | 'payment'
    | 'open'
  may: { register?: true; wait?: true; withdraw?: true; pay?: true }
}

/** Returns the registration of the person for whom the event was read. The operation checks everything again. */
export function registrationFor(event: EventRow, now: Date): Registration {
  const { my_rsvp: own } = event
  if (event.status === 'canceled') return { state: 'canceled_event', may: {} }
  if (own?.status === 'attended' || own?.status === 'no_show') return { state: 'attended', may: {} }
  if (event.phase === 'ended') return { state: 'ended', may: {} }
  if (own?.status === 'going') return { state: 'going', may: { withdraw: true } }
  if (own?.status === 'waitlisted')
    return own.offered_until === null
      ? { state: 'waiting', may: { withdraw: true } }
      : { state: 'offered', may: { withdraw: true, pay: true } }
  // Only people who can attend see the number of taken seats.
  if (event.access !== 'public' && event.going_count === null) return { state: 'not_admitted', may: {} }
  if (event.rsvp_opens_at !== null && now < new Date(event.rsvp_opens_at)) return { state: 'early', may: {} }
  if (event.rsvp_closes_at !== null && new Date(event.rsvp_closes_at) <= now) return { state: 'closed', may: {} }
  if (event.seats_left === 0) return event.waitlist_enabled ? { state: 'full_waitlist', may: { wait: true } } : { state: 'full', may: {} }
  return event.price === null ? { state: 'open', may: { register: true } } : { state: 'payment', may: { pay: true } }
}
