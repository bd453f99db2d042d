import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { findSchoolId, listSchools } from '../../store/schools.ts'
import { define } from '../define.ts'
import { failure, usage } from '../failures.ts'
import { countSchool, describeRemoval, removeSchool } from '../removeSchool.ts'
import type { Session } from '../session.ts'

/** `schools remove`. */
export function addRemove(group: Command, session: Session): void {
  const { terminal } = session
  define(group, {
    form: 'remove <slug>',
    about: `Delete a school: its configuration file, every row in the database, its files and its keys in Redis. This cannot be undone:
export the school or make a backup first. Asks for the slug; scripts repeat it with --confirm. With PostgreSQL, delete the file yourself and
restart every process first, because running processes serve a school until they restart.`,
    examples: ['schools remove harbour', 'schools remove harbour --confirm harbour'],
  })
    .option('--confirm <slug>', 'the slug again, instead of the question')
    .action(async (slug: string, { confirm }: { confirm?: string }) => {
      if (confirm === undefined && !terminal.isInteractive)
        throw usage(`this command asks for confirmation, and the input is not a terminal: add --confirm ${slug}`)
      if (confirm !== undefined && confirm !== slug) throw usage(`--confirm must be ${slug}, the slug of the school; nothing was changed`)
      const { environment, config } = session.settings()
      const database = await session.database()
      const isConfigured = config.schools.some((school) => school.slug === slug)
      const path = join(environment.CONFIG_DIR, 'schools', `${slug}.yaml`)
      if (isConfigured && config.schools.length === 1)
        throw failure(`${slug} is the only school of the configuration: create another one first`)
      if (isConfigured && database.kind === 'postgresql')
        throw failure(`${path} defines ${slug}: delete the file, restart every process, and run this command again`)
      const schoolId = await findSchoolId(database.kysely, slug)
      if (schoolId === undefined && !isConfigured) throw failure(`school ${slug} does not exist: see schools list`)
      const contents = schoolId === undefined ? { rows: 0, files: [] } : await countSchool(session, schoolId)
      if (confirm === undefined) {
        const what = `${contents.rows} rows, ${contents.files.length} files${isConfigured ? ` and ${path}` : ''}`
        const answer = await terminal.ask(`Delete ${what}? Type the slug ${slug} to confirm: `)
        if (answer.trim() !== slug) throw failure('nothing was changed')
      }
      if (isConfigured) {
        await session.service?.withdraw(slug)
        await unlink(path)
      }
      const removal = schoolId === undefined ? undefined : await removeSchool(session, schoolId, contents)
      await session.change(async ({ writer, record }) => {
        const details = { slug, rows: removal?.rows ?? 0, files: removal?.files ?? 0 }
        for (const { id } of await listSchools(writer)) await record({ school_id: id, event: 'operator.school_removed', details })
      })
      terminal.out(`the school ${slug} is deleted${removal ? `: ${describeRemoval(removal)}` : ''}\n`)
    })
}
