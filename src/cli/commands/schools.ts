import type { Command } from 'commander'
import { listSchools } from '../../store/schools.ts'
import { asJson, define, type JsonOption } from '../define.ts'
import type { Session } from '../session.ts'
import { moment, printList } from '../table.ts'
import { addCreate } from './schoolsCreate.ts'
import { addExport } from './schoolsExport.ts'
import { addRemove } from './schoolsRemove.ts'

/** `schools list`, `create`, `export` and `remove`. */
export function addSchools(program: Command, session: Session): void {
  const group = define(program, {
    form: 'schools',
    about: 'Manages the schools. Each has a file in the configuration.',
    examples: ['schools list', 'schools create harbour --issuer https://harbour.example.com'],
  })
  addCreate(group, session)
  addExport(group, session)
  addRemove(group, session)

  asJson(
    define(group, {
      form: 'list',
      about: 'List every school that has a file or data.',
      examples: ['schools list', 'schools list --json'],
    }),
  ).action(async ({ json }: JsonOption) => {
    const configured = session.settings().config.schools
    const stored = new Map((await listSchools((await session.database()).kysely)).map((row) => [row.slug, row]))
    const slugs = [...new Set([...configured.map(({ slug }) => slug), ...stored.keys()])].toSorted()
    const rows = slugs.map((slug) => {
      const file = configured.find((school) => school.slug === slug)
      const row = stored.get(slug)
      return {
        slug,
        name: row?.name ?? file?.defaults.name ?? null,
        issuer: file?.issuer ?? null,
        is_configured: file !== undefined,
        has_data: row !== undefined,
        created_at: moment(row?.created_at ?? null),
      }
    })
    printList(session.terminal, rows, { json, columns: ['slug', 'name', 'issuer', 'is_configured', 'has_data'], empty: 'no schools' })
  })
}
