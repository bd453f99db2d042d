import { rotateSealed } from '../../../database/statements/rotateSealed.ts'
import { countSealed, lostOf, neededOf, readKeptKeys, sealedByPurpose } from '../../../database/statements/sealedColumns.ts'
import { listSchools } from '../../../database/tables/schools.ts'
import { command, flag, group, jsonOption, removalOptions } from '../command.ts'
import { failure } from '../failures.ts'
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
    const kept = await readKeptKeys(sql, keyring)
    for (const [position, id] of [...keyring.secretIds.entries()].slice(1)) {
      const needed = neededOf(counts, position)
      const advice =
        needed === ''
          ? `is not needed for any stored value: it can be removed${kept && id in kept ? '' : ' after schoolgate secrets rotate'}`
          : `is needed for ${needed}: keep it, or run schoolgate secrets rotate`
      terminal.out(`\nSecret ${position + 1} ${advice}\n`)
    }
    const ending = Object.values(sealedByPurpose).flatMap((kept) => ('ends' in kept && !kept.ends.startsWith('nothing') ? [kept.ends] : []))
    terminal.out(`\nNot counted, and ends with a secret: ${ending.join('; ')}\n`)
    const lost = lostOf(counts)
    if (lost !== '') terminal.out(`\nNo secret opens ${lost}. Add the secret that was removed: SECRET_KEY=new,old\n`)
  },
})

const rotate = command({
  name: 'rotate',
  summary: `Encrypt everything with the first secret of SECRET_KEY that is encrypted with another one, while the service runs. Afterwards the older
secrets can be removed. It can be interrupted and repeated. All processes must have the new secret as the first one: docs/deploy.md has the steps.`,
  examples: ['secrets rotate', 'secrets rotate --leaked --yes'],
  options: {
    ...removalOptions,
    leaked: flag('an older secret has leaked: keep no keys of it, and delete the recovery codes of release 1.0.0 that depend on it'),
  },
  async run(session, { leaked: isLeaked = false }) {
    const { terminal } = session
    const keyring = session.keyring()
    const { sql } = await session.database()
    await session.endDryRun(async () => {
      const counts = await countSealed(sql, keyring)
      return Object.fromEntries(
        counts.map(({ what, bySecret, unknown }) => [
          what,
          { changed: bySecret.slice(1).reduce((sum, number) => sum + number, 0), deleted: isLeaked ? unknown : 0 },
        ]),
      )
    })
    if (isLeaked) await session.confirm('Keep no keys of the older secrets, and delete the recovery codes that depend on a secret?')
    let reportedAt = performance.now()
    const { sealed, left, deleted } = await rotateSealed(sql, keyring, {
      isLeaked,
      onProgress({ what, sealed }) {
        if (performance.now() - reportedAt < reportMs) return
        reportedAt = performance.now()
        terminal.err(`${what}: ${sealed} values are sealed again so far\n`)
      },
    })
    await session.change(async ({ writer, record }) => {
      for (const { id } of await listSchools(writer))
        await record({ school_id: id, event: 'operator.secrets_rotated', details: { sealed, left, deleted, leaked: isLeaked } })
    })
    terminal.out(`${sealed} values are sealed again${deleted > 0 ? `, ${deleted} recovery codes are deleted` : ''}\n`)
    if (left > 0)
      throw failure(`${left} values are not sealed with the first secret: see schoolgate secrets status, and repeat the command`)
    if (keyring.secretIds.length > 1)
      terminal.out('Remove the older secrets from SECRET_KEY and restart each process. Check first: schoolgate secrets status\n')
  },
})

const reportMs = 2000

export const secrets = group(
  {
    name: 'secrets',
    summary: 'Shows what the secrets of SECRET_KEY are needed for, and encrypts with the newest.',
    examples: ['secrets status', 'secrets rotate'],
  },
  [status, rotate],
)
