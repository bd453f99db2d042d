import type { Expression } from 'kysely'
import type { PersonCaller } from '../../base/caller.ts'
import { type Builder, type Condition, countReferences, selectUpload } from '../../database/statements/expressions.ts'

export const isUploadedBy = (file: Builder<'file'>, { accountId }: PersonCaller): Condition => file('uploaded_by', '=', accountId)

export const isUploadOf = (upload: Builder<'upload'>, { accountId }: PersonCaller): Condition =>
  upload.exists(upload.selectFrom('file').whereRef('file.id', '=', 'upload.file_id').where('file.uploaded_by', '=', accountId))

export const referencesOf = (): Expression<unknown> => countReferences

/** Selects the data from which the URL of an upload is built. */
export const targetOf = (): Expression<unknown> => selectUpload
