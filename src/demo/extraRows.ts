import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { demoId } from './ids.ts'

const folder = new URL('../../demo/rows/', import.meta.url)
const rows = z.array(z.record(z.string(), z.unknown()))
const dayMs = 86_400_000

/** Returns the rows of the files in `demo/rows`, one file per table. They get an id, the school, and the times of creation and update. */
export function extraRows(schoolId: string, now: Date): { table: string; rows: Record<string, unknown>[] }[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  return files.sort().map((name) => {
    const table = name.replace('.yaml', '')
    const at = new Date(now.getTime() - 30 * dayMs)
    const common = (index: number) => ({
      school_id: schoolId,
      id: demoId(schoolId, table, index),
      version: 1,
      created_at: at,
      updated_at: at,
    })
    return {
      table,
      rows: rows.parse(parse(readFileSync(new URL(name, folder), 'utf8'))).map((row, index) => ({ ...common(index), ...row })),
    }
  })
}
