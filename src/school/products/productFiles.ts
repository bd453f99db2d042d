import { newId, uuidOf } from '../../base/ids.ts'
import { fieldError, fieldProblem, Problem } from '../../base/problem.ts'
import { lockFiles } from '../../database/files/fileReferences.ts'
import { unnest } from '../../database/statements/unnest.ts'
import type { ChangeContext } from '../changeContext.ts'

export const maxFiles = 50

interface FileInput {
  file_id?: string | undefined
  title?: string | undefined
}

/**
 * Adds a file at the end of a product's files.
 * @throws Problem invalid_reference, validation_failed if the product has the most files
 */
export async function addFile(
  context: ChangeContext,
  productId: string,
  { file_id, title }: { file_id: string; title: string },
): Promise<void> {
  const { writer, now } = context
  const files = await filesOfProduct(context, productId)
  if (files.length >= maxFiles) {
    throw new Problem('validation_failed', {
      details: [{ ...fieldError('file_id', 'max_items', `a product can have at most ${maxFiles} files`), meta: { max: maxFiles } }],
    })
  }
  const fileId = await requireFile(context, file_id)
  await writer
    .insertInto('product_file')
    .values({
      school_id: writer.schoolId,
      id: newId(),
      created_at: now,
      updated_at: now,
      product_id: productId,
      file_id: fileId,
      title,
      position: (files.at(-1)?.position ?? -1) + 1,
    })
    .execute()
}

/**
 * Changes the title of a product's file, or replaces its content, which increments its version.
 * @returns whether anything changed
 * @throws Problem not_found, invalid_reference
 */
export async function changeFile(context: ChangeContext, productId: string, id: string, { file_id, title }: FileInput): Promise<boolean> {
  const { writer, now } = context
  const file = (await filesOfProduct(context, productId)).find((one) => one.id === id)
  if (!file) throw noSuchFile()
  const fileId = file_id === undefined ? file.file_id : await requireFile(context, file_id, file.file_id)
  const isNewVersion = fileId !== file.file_id
  if (!isNewVersion && (title === undefined || title === file.title)) return false
  await writer
    .updateTable('product_file')
    .set((row) => ({
      file_id: fileId,
      title: title ?? file.title,
      file_version: row('file_version', '+', isNewVersion ? 1 : 0),
      version: row('version', '+', 1),
      updated_at: now,
    }))
    .where('id', '=', id)
    .execute()
  return true
}

/**
 * Removes a file from a product. A published product keeps at least one.
 * @throws Problem not_found, invalid_state
 */
export async function removeFile(context: ChangeContext, product: { id: string; status: string }, id: string): Promise<void> {
  const { writer } = context
  const files = await filesOfProduct(context, product.id)
  if (!files.some((one) => one.id === id)) throw noSuchFile()
  if (files.length === 1 && product.status === 'published')
    throw new Problem('invalid_state', { description: 'This is the only file of a published product. Add another one first.' })
  await writer.deleteFrom('product_file').where('id', '=', id).execute()
  await placeFiles(
    context,
    files.filter((one) => one.id !== id).map((one) => one.id),
  )
}

/**
 * Changes the order of a product's files.
 * @returns whether anything changed
 * @throws Problem incomplete_order if a file is missing or named twice, with the ids that belong to no file of the product
 */
export async function orderFiles(context: ChangeContext, productId: string, publicIds: readonly string[]): Promise<boolean> {
  const before = (await filesOfProduct(context, productId)).map(({ id }) => id)
  const ids = publicIds.map((id) => uuidOf('dpf', id))
  const foreign = publicIds.filter((id) => !before.includes(uuidOf('dpf', id)))
  if (foreign.length > 0 || new Set(ids).size !== ids.length || ids.length !== before.length) {
    throw new Problem('incomplete_order', {
      description: 'The order must contain every file of the product once.',
      details: [
        { ...fieldError('file_ids', 'incomplete', 'must contain every file of the product once, and no other'), meta: { foreign } },
      ],
    })
  }
  if (ids.every((id, index) => id === before[index])) return false
  await placeFiles(context, ids)
  return true
}

/** Returns the files in their order. Needs no lock: every change of files locks the row of the product. */
const filesOfProduct = ({ writer }: ChangeContext, productId: string) =>
  writer
    .selectFrom('product_file')
    .select(['id', 'file_id', 'title', 'position'])
    .where('product_id', '=', productId)
    .orderBy('position')
    .execute()

async function requireFile({ writer }: ChangeContext, publicId: string, current?: string): Promise<string> {
  const id = uuidOf('fil', publicId)
  if (id === current) return id
  const [file] = await lockFiles(writer, writer.schoolId, [id])
  if (file?.status === 'ready' && file.purpose === 'digital_product' && file.visibility === 'private') return id
  throw fieldProblem(
    'invalid_reference',
    'file_id',
    'invalid_reference',
    'must be a private, completely uploaded file of the school with the purpose digital_product',
  )
}

/** Writes the positions in one statement, because the constraint on them is checked at its end. */
async function placeFiles({ writer }: ChangeContext, ids: readonly string[]): Promise<void> {
  await writer
    .updateTable('product_file')
    .from(unnest('placed', { id: { type: 'uuid', values: ids }, position: { type: 'int', values: ids.map((_id, index) => index) } }))
    .set((file) => ({ position: file.ref('placed.position') }))
    .whereRef('product_file.id', '=', 'placed.id')
    .execute()
}

const noSuchFile = (): Problem => new Problem('not_found', { description: 'The product has no such file.' })
