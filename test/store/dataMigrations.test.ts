import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { newPost } from '../support/community.ts'
import { embeddedDatabase, migrationsDirectory } from '../support/databases.ts'
import { newSchool } from '../support/rows.ts'

let database: Database
beforeAll(async () => {
  database = await embeddedDatabase()
})
afterAll(() => database.close())

/** Runs the statements of a migration that change rows, on rows as an earlier release stored them. */
async function runUpdates(name: string): Promise<void> {
  const text = await readFile(join(migrationsDirectory, name, 'migration.sql'), 'utf8')
  const statements = text.split(/;\n/).filter((statement) => /^UPDATE /m.test(statement))
  expect(statements.length).toBeGreaterThan(0)
  for (const statement of statements) await database.sql.query(statement)
}

test('excerpts that an earlier release made from the text of gated posts are hidden, and those of authors stay', async () => {
  const { sql } = database
  const schoolId = await newSchool(sql)
  const text = 'Zoom link for **members**: "https://zoom.example.com/j/1" & passcode 4711. '.repeat(5).trim()
  const made = 'Zoom link for members: "https://zoom.example.com/j/1" & passcode 4711. Zoom link for members…'
  const excerpts: Record<string, [visibility: string, excerpt: string]> = {
    gatedMade: ['paid', made],
    gatedShort: ['members', 'Zoom link for members: "https://zoom.example.com/j/1" & passcode 4711.'],
    gatedWritten: ['plans', 'This week we meet online.'],
    publicMade: ['public', made],
    publicWritten: ['public', 'This week we meet online.'],
  }
  const ids = new Map<string, string>()
  for (const [name, [visibility, excerpt]] of Object.entries(excerpts)) {
    const id = await newPost(sql, schoolId, { visibility, text })
    ids.set(name, id)
    await sql.query('UPDATE post SET excerpt = $3 WHERE school_id = $1 AND id = $2', [schoolId, id, excerpt])
    await sql.query('UPDATE post_body SET content_html = $3 WHERE school_id = $1 AND post_id = $2', [
      schoolId,
      id,
      `<p>${text.replaceAll('**members**', '<strong>members</strong>').replaceAll('"', '&quot;').replaceAll('& ', '&amp; ')}</p>`,
    ])
  }
  await runUpdates('20261122093000_automatic_excerpts')
  const found: Record<string, unknown> = {}
  for (const [name, id] of ids) {
    const [row] = await sql.query<{ excerpt: string | null; automatic_excerpt: string }>(
      'SELECT excerpt, automatic_excerpt FROM post WHERE school_id = $1 AND id = $2',
      [schoolId, id],
    )
    found[name] = [row?.excerpt, row?.automatic_excerpt]
  }
  expect(found).toEqual({
    gatedMade: [null, made],
    gatedShort: [null, excerpts.gatedShort?.[1]],
    gatedWritten: ['This week we meet online.', ''],
    publicMade: [null, made],
    publicWritten: ['This week we meet online.', ''],
  })
})
