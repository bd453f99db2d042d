import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import { countReferences, selectUpload } from '../../store/fileExpressions.ts'

type Condition = Expression<SqlBool>

/** Files that the person has brought. */
export const isBroughtBy = (file: ExpressionBuilder<DB, 'file'>, { accountId }: PersonCaller): Condition =>
  file('uploaded_by', '=', accountId)

/** Uploads of files that the person has announced. */
export const isUploadOf = (upload: ExpressionBuilder<DB, 'upload'>, { accountId }: PersonCaller): Condition =>
  upload.exists(
    upload
      .selectFrom('file')
      .select('file.id')
      .whereRef('file.school_id', '=', 'upload.school_id')
      .whereRef('file.id', '=', 'upload.file_id')
      .where('file.uploaded_by', '=', accountId),
  )

/** How often a file is named, in the query of its row. */
export const referencesOf = (): Expression<unknown> => countReferences

/** What the address of an upload is made of, in the query of its row. */
export const targetOf = (): Expression<unknown> => selectUpload
