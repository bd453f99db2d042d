import { sql } from 'kysely'
import type { Writer } from '../connection/database.ts'
import { withoutSchool } from '../school/inSchool.ts'

/** Checks that the positions of sections and lessons are unique after the last row of a change, not after each one. */
export async function deferPositions(writer: Writer): Promise<void> {
  await sql`SET CONSTRAINTS section_position_key, lesson_position_key DEFERRED`.execute(withoutSchool(writer))
}

/** Checks the positions now, and after each row of the following changes. */
export async function checkPositions(writer: Writer): Promise<void> {
  await sql`SET CONSTRAINTS section_position_key, lesson_position_key IMMEDIATE`.execute(withoutSchool(writer))
}
