import type { Writer } from './database.ts'

/** Takes an advisory lock with this name until the transaction ends, and waits for another transaction that holds it. */
export async function lockByName(writer: Writer, name: string): Promise<void> {
  await writer
    .selectNoFrom(({ fn, cast, val, lit }) =>
      fn('pg_advisory_xact_lock', [fn('hashtextextended', [cast<string>(val(name), 'text'), lit(0)])]).as('lock'),
    )
    .execute()
}
