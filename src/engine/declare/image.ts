import type { Expression } from 'kysely'
import { z } from 'zod'
import { fileUrl } from '../../base/fileUrl.ts'
import { fromPublicId } from '../../base/ids.ts'
import { type StoredImage, selectImage } from '../../database/statements/fileExpressions.ts'
import type { Derived } from './derived.ts'
import type { ColumnOf, Columns, TableName } from './expressions.ts'
import { reference } from './fields.ts'
import type { Presentation } from './presentation.ts'

/** A picture in a response. Clients send only `file_id` and `alt`. */
export interface Image {
  file_id: string
  url: string
  alt?: string | null | undefined
  width: number | null
  height: number | null
}

/** Returns the schema of a picture. For an optional one: `image(…).nullable().meta({ description, example: null })`. */
export const image = (description: string) =>
  z
    .object({
      file_id: reference('fil', 'Id of an uploaded public picture. Staff can use any; other callers only pictures that they uploaded.'),
      url: z.url().meta({ description: 'URL of the picture.', example: 'https://school.example/files/fil_01/kiln.webp', readOnly: true }),
      alt: z
        .string()
        .max(300)
        .nullable()
        .default(null)
        .meta({ description: 'Alternative text: describes the picture for people who cannot see it.', example: 'A kiln, open' }),
      width: z.int().nullable().meta({ description: 'In pixels.', example: 1600, readOnly: true }),
      height: z.int().nullable().meta({ description: 'In pixels.', example: 900, readOnly: true }),
    })
    .meta({ description, component: 'Image' })

/**
 * Returns a field stored in the columns `<name>_file_id` and `<name>_alt` of its table. The framework checks that the caller may use
 * the file, and records the reference in the same transaction.
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

/** Returns the picture that `selectImage` has read as the response shows it, for pictures in lists inside a row. */
export function imageOf(stored: StoredImage | null, { school }: Pick<Presentation, 'school'>): Image | null {
  if (stored === null) return null
  const { file_id, filename, alt, width, height } = stored
  return { file_id, url: fileUrl(school, { id: file_id, filename }), alt, width, height }
}
