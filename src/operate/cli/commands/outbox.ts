import { endHold, heldSince } from '../../../database/migrations/restore.ts'
import { outboxKinds } from '../../../database/outbox/outboxKinds.ts'
import { countWithheld, discardOutbox, replayOutbox } from '../../../database/outbox/outboxLists.ts'
import { listOutbox } from '../../../database/tables/administration.ts'
import { listSchools } from '../../../database/tables/schools.ts'
import { choice, command, flag, group, jsonOption, removalOptions, schoolOption, text, withDefault } from '../command.ts'
import { failure } from '../failures.ts'
import { limitIn, rowIdIn } from '../outboxArguments.ts'
import { moment } from '../table.ts'

const list = command({
  name: 'list',
  summary: 'List rows of the outbox, newest first. Recipients and contents are not shown.',
  examples: ['outbox list --state dead', 'outbox list --kind email --json'],
  options: {
    ...schoolOption,
    ...jsonOption,
    kind: choice('kind', 'only this kind of work', outboxKinds),
    state: choice('state', 'only rows in this state', ['pending', 'delivered', 'dead', 'withheld']),
    limit: withDefault(text('number', 'maximum number of rows'), '100'),
  },
  async run(session, { kind, state, limit }) {
    const most = limitIn(limit)
    const school = await session.school()
    const rows = await listOutbox(await session.prisma(), { schoolId: school.id, kind, state, limit: most })
    session.printList(
      rows.map((row) => ({
        id: row.id,
        kind: row.kind,
        endpoint: row.target,
        state: row.state,
        attempts: row.attempts,
        created_at: moment(row.created_at),
        next_attempt_at: row.state === 'pending' ? moment(row.next_at) : null,
        finished_at: moment(row.finished_at),
        reason: row.reason,
      })),
      { columns: ['id', 'kind', 'state', 'attempts', 'created_at', 'next_attempt_at', 'reason'], empty: 'no rows' },
    )
  },
})

const rowsNamed = (named: string): { state: 'dead' | 'withheld' } | { id: string } =>
  named === 'dead' || named === 'withheld' ? { state: named } : { id: rowIdIn(named) }

const replay = command({
  name: 'replay <id>',
  summary:
    'Attempt work again that was given up or withheld. `dead` replays everything that was given up, `withheld` everything that was withheld.',
  examples: ['outbox replay 4711', 'outbox replay dead', 'outbox replay withheld'],
  options: schoolOption,
  async run(session, _options, named) {
    const which = rowsNamed(named)
    const school = await session.school()
    const count = await school.change(async ({ writer, record }) => {
      const replayed = await replayOutbox(writer, { schoolId: school.id, ...which })
      if (replayed > 0) await record({ event: 'operator.outbox_replayed', details: { rows: named, count: replayed } })
      return replayed
    })
    if (count === 0 && 'id' in which) throw failure(`row ${named} does not exist, is pending, or has no content any more`)
    session.terminal.out(`${count} ${count === 1 ? 'row' : 'rows'} will be attempted again\n`)
  },
})

const discard = command({
  name: 'discard <id>',
  summary: 'Delete work that should not be done. `dead` deletes everything that was given up, `withheld` everything that was withheld.',
  examples: ['outbox discard 4711', 'outbox discard dead --yes', 'outbox discard withheld --yes'],
  options: { ...schoolOption, ...removalOptions },
  async run(session, _options, named) {
    const which = rowsNamed(named)
    const school = await session.school()
    await session.confirm(
      'id' in which ? `Delete row ${named}?` : `Delete all work that was ${which.state === 'dead' ? 'given up' : 'withheld'}?`,
    )
    const count = await school.change(async ({ writer, record }) => {
      const discarded = await discardOutbox(writer, { schoolId: school.id, ...which })
      if (discarded > 0) await record({ event: 'operator.outbox_discarded', details: { rows: named, count: discarded } })
      return discarded
    })
    if (count === 0 && 'id' in which) throw failure(`row ${named} does not exist, or a process is working on it`)
    session.terminal.out(`${count} ${count === 1 ? 'row' : 'rows'} deleted\n`)
  },
})

const release = command({
  name: 'release',
  summary: `Send the e-mails and webhooks of all schools again that are held after a restore, or delete them. Those from before the backup may have been
sent already; outbox list --state withheld shows them.`,
  examples: ['outbox release --discard --yes', 'outbox release --yes'],
  options: { ...removalOptions, discard: flag('delete what is held instead of sending it') },
  async run(session, { discard: isDiscarded = false }) {
    const database = await session.database()
    const since = await heldSince(database.kysely)
    if (!since) throw failure('nothing is held: no restore was recorded, or it was released')
    const held = await countWithheld(database.kysely)
    await session.confirm(`${isDiscarded ? 'Delete' : 'Send'} ${held} held e-mails and webhooks, and send those that follow?`)
    const count = await session.change(async ({ writer, record }) => {
      await endHold(writer)
      let total = 0
      for (const { id } of await listSchools(writer)) {
        const rows = await (isDiscarded ? discardOutbox : replayOutbox)(writer, { schoolId: id, state: 'withheld' })
        await record({ school_id: id, event: 'operator.outbox_released', details: { rows, discarded: isDiscarded } })
        total += rows
      }
      return total
    })
    session.terminal.out(`released: ${count} messages ${isDiscarded ? 'are deleted' : 'will be sent'}\n`)
  },
})

export const outbox = group(
  {
    name: 'outbox',
    summary: 'Shows e-mails, webhooks and other work that waits for its delivery or was given up.',
    examples: ['outbox list --state dead', 'outbox replay 4711'],
  },
  [list, replay, discard, release],
)
