import { defineArea } from '../framework/declare/area.ts'

/** What a person can open to a client of events, and of the answers to them. */
export const eventArea = defineArea('events', {
  read: 'See events and who takes part',
  write: 'Add and change events, and take or give up seats',
})
