import type { SchoolWriter } from '../../store/database.ts'
import { now } from '../../store/expressions.ts'

/** Deletes the references to files from a row, and marks the files as unused. */
export async function releaseFiles(writer: SchoolWriter, { types, id }: { types: readonly string[]; id: string }): Promise<void> {
  await writer
    .with('released', (query) =>
      query.deleteFrom('file_reference').where('ref_type', 'in', types).where('ref_id', '=', id).returning('file_id'),
    )
    .updateTable('file')
    .from('released')
    .set({ unused_since: now })
    .whereRef('file.id', '=', 'released.file_id')
    .execute()
}
