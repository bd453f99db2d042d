import { type RowCounts, rolledBack } from '../../database/connection/rolledBack.ts'
import type { Session } from './session.ts'
import type { Listed } from './table.ts'
import type { Terminal } from './terminal.ts'

/** The rows that a command would delete, change and add, by table. Files count as a table. */
export type Effects = Readonly<Record<string, Partial<RowCounts>>>

/** Ends a dry run of a command whose work is not a transaction, with what it counted. */
export class DryRunEnd extends Error {
  readonly effects: Effects

  constructor(effects: Effects) {
    super('the dry run has ended')
    this.effects = effects
  }
}

/**
 * Runs a command in a session whose only transaction is rolled back, without its output and without Redis, and returns its effects.
 * @throws what the command throws, such as the reason why it is refused
 */
export async function runDry(session: Session, work: (dry: Session) => unknown): Promise<Listed[]> {
  const { database, end } = rolledBack(await session.database())
  const dry = session.over(database, silent(session.terminal))
  try {
    await work(dry)
    return rowsOf(Object.fromEntries(await end()))
  } catch (error) {
    await end().catch(() => undefined)
    if (error instanceof DryRunEnd) return rowsOf(error.effects)
    throw error
  } finally {
    await dry.close()
  }
}

const silent = (terminal: Terminal): Terminal => ({ ...terminal, out: () => undefined, err: () => undefined })

const rowsOf = (effects: Effects): Listed[] =>
  Object.entries(effects).map(([table, { deleted = 0, changed = 0, added = 0 }]) => ({ table, deleted, changed, added }))
