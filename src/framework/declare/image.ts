import type { Expression } from 'kysely'
import { z } from 'zod'
import { fromPublicId } from '../../lib/ids.ts'
import { fileUrl } from '../../policy/fileUrl.ts'
import { type StoredImage, selectImage } from '../../store/fileExpressions.ts'
import type { Derived } from './derived.ts'
import type { ColumnOf, Columns, TableName } from './expressions.ts'
import { reference } from './fields.ts'
import type { Presentation } from './presentation.ts'

/** A picture as a row shows it. Only `file_id` and `alt` are ever sent. */
export interface Image {
  file_id: string
  url: string
  alt?: string | null | undefined
  width: number | null
  height: number | null
}

/** The schema of a picture. Where there may be none: `image(…).nullable().meta({ description, example: null })`. */
export const image = (description: string) =>
  z
    .object({
      file_id: reference('fil', 'Id of an uploaded picture that is public: your own, or any for staff.'),
      url: z
        .url()
        .meta({ description: 'Address of the picture.', example: 'https://school.example/files/fil_01/kiln.webp', readOnly: true }),
      alt: z
        .string()
        .max(300)
        .nullable()
        .default(null)
        .meta({ description: 'What can be seen, for who does not.', example: 'A kiln, open' }),
      width: z.int().nullable().meta({ description: 'In pixels.', example: 1600, readOnly: true }),
      height: z.int().nullable().meta({ description: 'In pixels.', example: 900, readOnly: true }),
    })
    .meta({ description })

/**
 * A field over the columns `<name>_file_id` and `<name>_alt` of its table. The framework checks that the file may be named,
 * and notes in the same transaction that it is used.
 */
export function imageField<Table extends TableName, Name extends string>(
  table: `${Name}_file_id` | `${Name}_alt` extends ColumnOf<Table> ? Table : never,
  name: Name,
): Derived<Table, Image | null> {
  return {
    file: `${name}_file_id`,
    select: () => selectImage(table, name) as Expression<unknown>,
    of: (selected: StoredImage | null, context) => imageOf(selected, context),
    write: (value) =>
      ({
        [`${name}_file_id`]: value === null ? null : fromPublicId('fil', value.file_id),
        [`${name}_alt`]: value?.alt ?? null,
      }) as Columns<Table>,
  }
}

/** What `selectImage` has read, as it is shown: for pictures inside lists of other rows. */
export function imageOf(stored: StoredImage | null, { school }: Pick<Presentation, 'school'>): Image | null {
  if (stored === null) return null
  const { file_id, filename, alt, width, height } = stored
  return { file_id, url: fileUrl(school, { id: file_id, filename }), alt, width, height }
}
