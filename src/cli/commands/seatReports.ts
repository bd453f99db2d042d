import { fromPublicId } from '../../lib/ids.ts'
import { group } from '../command.ts'
import { usage } from '../failures.ts'
import { reportCommand } from '../reportCommand.ts'

export const seats = group(
  {
    name: 'seats',
    summary: 'Takes and releases seats of events that are sold elsewhere.',
    examples: ['seats reserve evt_01jgwejj00e6srgkpqm2sqf05m --attendee wren@example.org --reference ticket-4711'],
  },
  [
    reportCommand({
      operation: 'reserveSeats',
      name: 'reserve <event>',
      summary:
        'Take seats of a published event, before people on its waitlist. A second sale to the same person replaces the number of seats.',
      examples: [
        'seats reserve evt_01jgwejj00e6srgkpqm2sqf05m --attendee wren@example.org',
        'seats reserve evt_01jgwejj00e6srgkpqm2sqf05m --attendee wren@example.org --guests 2 --reference ticket-4711',
      ],
      names: { event_id: 'event', 'attendee.email': 'attendee', 'attendee.name': 'name' },
      parse: { event_id: eventId },
      print: idAndStatus,
    }),
    reportCommand({
      operation: 'releaseSeats',
      name: 'release <rsvp>',
      isRemoval: true,
      summary: 'Release the seats of a person. People on the waitlist get the seats and an e-mail.',
      examples: ['seats release rsv_01jgwejj00e6srgkpqm2sqf05m --event evt_01jgwejj00e6srgkpqm2sqf05m --reference refund-4711'],
      parameter: 'the id of an RSVP (rsv_ and 26 characters)',
      names: { event_id: 'event' },
      parse: { event_id: eventId },
      print: idAndStatus,
    }),
  ],
)

function eventId(text: string): string {
  if (fromPublicId('evt', text) === undefined) throw usage(`${text} is not the id of an event (evt_ and 26 characters)`)
  return text
}

export function idAndStatus({ id, status }: Record<string, unknown>): string {
  return `${String(id)} ${String(status)}`
}
