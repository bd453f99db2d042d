import type { Command } from 'commander'
import { isOrigin } from '../../config/address.ts'
import { countGrantsOf, moveGrants } from '../../store/moveGrants.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { define, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { usage } from '../failures.ts'
import { reportProgress } from '../reportProgress.ts'
import type { Session } from '../session.ts'

/** Each batch is one transaction, so an interrupted command can be repeated. */
const grantsAtOnce = 500

/** `grants move`. */
export function addMove(group: Command, session: Session): void {
  const move = define(group, {
    form: 'move',
    about: `Move the grants that people gave at a former address of the school to its current one, after its issuer was changed. Clients that
learn the new address refresh their tokens there. Without this command, the clients have to start over, and people have to allow them again.`,
    examples: ['grants move --from https://old.example.com', 'grants move --from https://old.example.com --school demo --yes'],
  })
  withYesOption(withSchoolOption(move))
    .requiredOption('--from <issuer>', 'the former issuer, exactly as it was configured')
    .action(async ({ school: slug, from, yes }: SchoolOption & YesOption & { from: string }) => {
      const { terminal } = session
      requireAnswer(terminal, { yes })
      if (!isOrigin(from)) throw usage(`--from must be an issuer such as https://school.example.com, without a path, not ${from}`)
      const school = await session.school(slug)
      const { sql } = await session.database()
      const { issuer: to, id: schoolId } = school
      if (from === to) throw usage(`--from is the current issuer of ${school.slug}: give the former one`)
      const found = await countGrantsOf(sql, { schoolId, from })
      if (found === 0) return terminal.out(`no grants of ${from}; nothing was changed\n`)
      await confirm(terminal, `Move ${found} ${found === 1 ? 'grant' : 'grants'} from ${from} to ${to}?`, { yes })
      const onProgress = reportProgress(terminal)
      let moved = 0
      for (;;) {
        const count = await session.change(async ({ sql, record }) => {
          const count = await moveGrants(sql, { schoolId, from, to }, grantsAtOnce)
          if (count > 0) await record({ school_id: schoolId, event: 'operator.grants_moved', details: { from, to, grants: count } })
          return count
        })
        if (count === 0) break
        moved += count
        onProgress({ name: 'grants', done: moved, of: Math.max(found, moved) })
      }
      terminal.out(`${moved} ${moved === 1 ? 'grant is' : 'grants are'} moved to ${to}\n`)
    })
}
