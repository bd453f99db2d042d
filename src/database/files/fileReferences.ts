import type { Stored, Writer } from '../connection/database.ts'

/** The facts that decide whether a row can reference a file. */
export interface NamedFile extends Stored<'file', 'id' | 'purpose' | 'visibility' | 'uploaded_by'> {
  /** `ready` for a file in the trash too: the reference takes it out. */
  status: string
}

/**
 * Files of the school, kept from being removed until the transaction ends. The triggers `<table>_files` keep the references of every row that
 * names files (see docs/decisions/0049-references-of-files-follow-from-columns.md).
 */
export async function lockFiles(writer: Writer, schoolId: string, ids: readonly string[]): Promise<NamedFile[]> {
  if (ids.length === 0) return []
  return await writer
    .selectFrom('file')
    .select(['id', 'purpose', 'visibility', 'uploaded_by'])
    .select((file) => file.case().when('status', '=', 'deleted').then('ready').else(file.ref('status')).end().as('status'))
    .where('school_id', '=', schoolId)
    .where('id', 'in', [...new Set(ids)])
    .orderBy('id')
    .forKeyShare()
    .execute()
}
