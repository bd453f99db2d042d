import { type AliasableExpression, type Expression, sql } from 'kysely'
import type { RowOf } from '../connection/database.ts'
import { refs } from './columns.ts'

const file = refs('file')
const fileReference = refs('file_reference')
const upload = refs('upload')

/** The columns of a picture, from which its URL is built later. */
export interface StoredImage extends RowOf<'file', 'filename' | 'alt' | 'width' | 'height'> {
  file_id: string
}

/**
 * The picture that a column of a row names, within the query that reads the row: `selectImage('course', 'cover_image')` reads
 * the columns `cover_image_file_id` and `cover_image_alt`. Null where there is none, or where its file is gone.
 */
export function selectImage(table: string, name: string): AliasableExpression<StoredImage | null> {
  const column = (ending: string) => sql.ref(`${table}.${ending}`)
  return sql<StoredImage | null>`(
    SELECT json_build_object('file_id', ${file.id}, 'filename', ${file.filename}, 'alt', ${column(`${name}_alt`)},
                             'width', ${file.width}, 'height', ${file.height})
      FROM "file"
     WHERE ${file.school_id} = ${column(table === 'school' ? 'id' : 'school_id')}
       AND ${file.id} = ${column(`${name}_file_id`)} AND ${file.status} = 'ready')`
}

/** The columns from which the URL of an upload is built. */
export interface StoredUpload extends RowOf<'file', 'id' | 'status' | 'content_type'> {
  expires_at: string
}

export const selectUpload: Expression<StoredUpload> = sql<StoredUpload>`(
    SELECT json_build_object('id', ${upload.id}, 'status', ${upload.status}, 'expires_at', ${upload.expires_at},
                             'content_type', ${file.content_type})
      FROM "file" WHERE ${file.school_id} = ${upload.school_id} AND ${file.id} = ${upload.file_id})`

/** Former revisions keep their files, but do not count: nobody sees them. */
export const countReferences: Expression<number | string> = sql<number | string>`(
    SELECT count(*) FROM "file_reference"
     WHERE ${fileReference.school_id} = ${file.school_id} AND ${fileReference.file_id} = ${file.id} AND ${fileReference.field} <> 'revisions')`
