import { defineArea } from '../framework/declare/area.ts'

/** The scopes of events and RSVPs. */
export const eventArea = defineArea('events', {
  read: 'See events and who takes part',
  write: 'Add and change events, and take or give up seats',
})
