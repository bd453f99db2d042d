import { countSealed, lostOf, neededOf, sealedByPurpose } from '../../../database/statements/sealedColumns.ts'
import { command, group, jsonOption } from '../command.ts'
import { withProgress } from '../progress.ts'

const status = command({
  name: 'status',
  summary: 'Count what each secret of SECRET_KEY opens, before one is removed. Reads every encrypted value.',
  examples: ['secrets status', 'secrets status --json'],
  options: jsonOption,
  async run(session, { json }) {
    const { terminal } = session
    const { sql } = await session.database()
    const keyring = session.keyring()
    const counts = await withProgress(terminal, 'opening what is encrypted', () => countSealed(sql, keyring))
    const rows = counts.map(({ what, bySecret, unknown, lost }) => ({
      what,
      newest: bySecret[0] ?? 0,
      older: bySecret.slice(1).reduce((sum, number) => sum + number, 0),
      unknown,
      lost,
      by_secret: bySecret.map(String),
    }))
    session.printList(rows, { columns: ['what', 'newest', 'older', 'unknown', 'lost'], empty: 'nothing is encrypted' })
    if (json) return
    for (let position = 1; position < keyring.secretIds.length; position += 1) {
      const needed = neededOf(counts, position)
      const advice = needed === '' ? 'is not needed for any stored value: it can be removed' : `may be needed for ${needed}: keep it`
      terminal.out(`\nSecret ${position + 1} ${advice}\n`)
    }
    const ending = Object.values(sealedByPurpose).flatMap((kept) => ('ends' in kept && !kept.ends.startsWith('nothing') ? [kept.ends] : []))
    terminal.out(`\nNot counted, and ends with a secret: ${ending.join('; ')}\n`)
    const lost = lostOf(counts)
    if (lost !== '') terminal.out(`\nNo secret opens ${lost}. Add the secret that was removed: SECRET_KEY=new,old\n`)
  },
})

export const secrets = group(
  { name: 'secrets', summary: 'Shows what the secrets of SECRET_KEY are needed for.', examples: ['secrets status'] },
  [status],
)
