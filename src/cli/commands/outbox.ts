import { type Command, Option } from 'commander'
import { outboxKinds } from '../../store/outbox/outboxKinds.ts'
import { discardOutbox, listOutbox, replayOutbox } from '../../store/outbox/outboxLists.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { asJson, define, type JsonOption, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { failure } from '../failures.ts'
import { limitIn, rowIdIn } from '../outboxArguments.ts'
import type { Session } from '../session.ts'
import { moment, printList } from '../table.ts'

interface ListOptions extends SchoolOption, JsonOption {
  kind?: string
  state?: string
  limit: string
}

/** `outbox list`, `replay` and `discard`. */
export function addOutbox(program: Command, session: Session): void {
  const group = define(program, {
    form: 'outbox',
    about: 'Shows e-mails, webhooks and other work that waits for its delivery or was given up.',
    examples: ['outbox list --state dead', 'outbox replay 4711'],
  })
  const list = define(group, {
    form: 'list',
    about: 'List rows of the outbox, newest first. Recipients and contents are not shown.',
    examples: ['outbox list --state dead', 'outbox list --kind email --json'],
  })
  asJson(withSchoolOption(list))
    .addOption(new Option('--kind <kind>', 'only this kind of work').choices(outboxKinds))
    .addOption(new Option('--state <state>', 'only rows in this state').choices(['pending', 'delivered', 'dead']))
    .option('--limit <number>', 'maximum number of rows', '100')
    .action(async ({ school: slug, json, kind, state, limit }: ListOptions) => {
      const most = limitIn(limit)
      const school = await session.school(slug)
      const rows = await listOutbox((await session.database()).kysely, { schoolId: school.id, kind, state, limit: most })
      printList(
        session.terminal,
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
        { json, columns: ['id', 'kind', 'state', 'attempts', 'created_at', 'next_attempt_at', 'reason'], empty: 'no rows' },
      )
    })

  withSchoolOption(
    define(group, {
      form: 'replay <id>',
      about: 'Attempt work again that was given up. `dead` replays everything that was given up.',
      examples: ['outbox replay 4711', 'outbox replay dead'],
    }),
  ).action(async (named: string, { school: slug }: SchoolOption) => {
    const which = named === 'dead' ? { state: 'dead' } : { id: rowIdIn(named) }
    const school = await session.school(slug)
    const count = await session.change(async ({ writer, record }) => {
      const replayed = await replayOutbox(writer, { schoolId: school.id, ...which })
      if (replayed > 0) await record({ school_id: school.id, event: 'operator.outbox_replayed', details: { rows: named, count: replayed } })
      return replayed
    })
    if (count === 0 && named !== 'dead') throw failure(`row ${named} does not exist, is pending, or has no content any more`)
    session.terminal.out(`${count} ${count === 1 ? 'row' : 'rows'} will be attempted again\n`)
  })

  withYesOption(
    withSchoolOption(
      define(group, {
        form: 'discard <id>',
        about: 'Delete work that should not be done. `dead` deletes everything that was given up.',
        examples: ['outbox discard 4711', 'outbox discard dead --yes'],
      }),
    ),
  ).action(async (named: string, { school: slug, yes }: SchoolOption & YesOption) => {
    requireAnswer(session.terminal, { yes })
    const which = named === 'dead' ? { state: 'dead' } : { id: rowIdIn(named) }
    const school = await session.school(slug)
    await confirm(session.terminal, named === 'dead' ? 'Delete all work that was given up?' : `Delete row ${named}?`, { yes })
    const count = await session.change(async ({ writer, record }) => {
      const discarded = await discardOutbox(writer, { schoolId: school.id, ...which })
      if (discarded > 0)
        await record({ school_id: school.id, event: 'operator.outbox_discarded', details: { rows: named, count: discarded } })
      return discarded
    })
    if (count === 0 && named !== 'dead') throw failure(`row ${named} does not exist, or a process is working on it`)
    session.terminal.out(`${count} ${count === 1 ? 'row' : 'rows'} deleted\n`)
  })
}
