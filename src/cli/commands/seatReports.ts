import type { Command } from 'commander'
import { fromPublicId } from '../../lib/ids.ts'
import { define, type SchoolOption } from '../define.ts'
import { usage } from '../failures.ts'
import { report, withReference } from '../report.ts'
import type { Session } from '../session.ts'

interface ReserveOptions extends SchoolOption {
  attendee: string
  name?: string
  guests: string
  note?: string
  reference?: string
}

interface ReleaseOptions extends SchoolOption {
  event: string
  reference?: string
}

/** `seats reserve` and `seats release`: seats of events that are sold elsewhere. */
export function addSeats(program: Command, session: Session): void {
  const group = define(program, {
    form: 'seats',
    about: 'Takes and releases seats of events that are sold elsewhere.',
    examples: ['seats reserve evt_01jgwejj00e6srgkpqm2sqf05m --attendee wren@example.org --reference ticket-4711'],
  })

  const reserve = define(group, {
    form: 'reserve <event>',
    about: 'Take seats of a published event, before people on its waitlist. A second sale to the same person replaces the number of seats.',
    examples: [
      'seats reserve evt_01jgwejj00e6srgkpqm2sqf05m --attendee wren@example.org',
      'seats reserve evt_01jgwejj00e6srgkpqm2sqf05m --attendee wren@example.org --guests 2 --reference ticket-4711',
    ],
  })
  withReference(reserve)
    .requiredOption('--attendee <email>', 'e-mail address of the person who comes, who becomes a member')
    .option('--name <name>', 'name of a person whom the school does not know')
    .option('--guests <count>', 'seats in addition to that of the person, up to 20', '0')
    .option('--note <text>', 'note for the staff')
    .action(async (event: string, { school, reference, attendee, name, guests, note }: ReserveOptions) => {
      requireId('evt', event)
      if (!/^\d{1,2}$/.test(guests)) throw usage('--guests must be a number from 0 to 20')
      const body = { event_id: event, attendee: { email: attendee, name }, guests: Number(guests), note }
      printRsvp(session, await report(session, 'reserveSeats', { school, reference, body }))
    })

  const release = define(group, {
    form: 'release <rsvp>',
    about: 'Release the seats of a person. People on the waitlist get the seats and an e-mail.',
    examples: ['seats release rsv_01jgwejj00e6srgkpqm2sqf05m --event evt_01jgwejj00e6srgkpqm2sqf05m --reference refund-4711'],
  })
  withReference(release)
    .requiredOption('--event <id>', 'id of the event')
    .action(async (rsvp: string, { school, reference, event }: ReleaseOptions) => {
      requireId('rsv', rsvp)
      requireId('evt', event)
      printRsvp(session, await report(session, 'releaseSeats', { school, reference, parameter: rsvp, body: { event_id: event } }))
    })
}

const objects = { evt: 'an event', rsv: 'an RSVP' } as const

function requireId(prefix: keyof typeof objects, text: string): void {
  if (fromPublicId(prefix, text) === undefined) throw usage(`${text} is not the id of ${objects[prefix]} (${prefix}_ and 26 characters)`)
}

function printRsvp({ terminal }: Session, { id, status }: Record<string, unknown>): void {
  terminal.out(`${String(id)} ${String(status)}\n`)
}
