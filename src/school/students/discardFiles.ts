import { sql } from 'kysely'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'

/**
 * Discards files of a person that nothing uses: their names are erased, nobody can read them from now on, and the next sweep removes them. A
 * portrait cannot be taken back either; other files stay in the trash as long as a request that let them go can be taken back.
 */
export async function discardFiles(writer: SchoolWriter, isTheirs: (file: Builder<'file'>) => Condition): Promise<void> {
  const discarded = await writer
    .updateTable('file')
    .set((file) => ({
      filename: sql<string>`'deleted' || coalesce(substring(${file.ref('filename')} FROM '\\.[a-z0-9]{1,8}$'), '')`,
      alt: null,
      status: file.case().when('status', '=', 'ready').then('deleted').else(file.ref('status')).end(),
      unused_since: new Date(0),
    }))
    .where(isTheirs)
    .where((file) =>
      file.not(
        file.exists(file.selectFrom('file_reference').select('file_reference.file_id').whereRef('file_reference.file_id', '=', 'file.id')),
      ),
    )
    .returning(['id', 'purpose'])
    .execute()
  const portraits = discarded.filter(({ purpose }) => purpose === 'avatar').map(({ id }) => id)
  if (portraits.length > 0) await writer.deleteFrom('undo_file').where('file_id', 'in', portraits).execute()
}
