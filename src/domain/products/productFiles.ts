import { fromPublicId, newId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { lockFiles, setFileReferences } from '../../store/fileReferences.ts'
import type { CourseContext } from '../courses/courseWriting.ts'

/** How many files a product has at most. */
export const mostFiles = 50

interface SentFile {
  file_id?: string | undefined
  title?: string | undefined
}

/**
 * Adds a file at the end of a product.
 * @throws Problem invalid_reference, validation_failed where there is no room
 */
export async function addFile(
  context: CourseContext,
  productId: string,
  { file_id, title }: { file_id: string; title: string },
): Promise<void> {
  const { writer, school, now } = context
  const files = await filesOfProduct(context, productId)
  if (files.length >= mostFiles) {
    throw new Problem('validation_failed', {
      details: [
        { field: 'file_id', code: 'max_items', message: `file_id: a product has at most ${mostFiles} files`, meta: { max: mostFiles } },
      ],
    })
  }
  const fileId = await requireFile(context, file_id)
  await writer
    .insertInto('product_file')
    .values({
      school_id: school.id,
      id: newId(),
      created_at: now,
      updated_at: now,
      product_id: productId,
      file_id: fileId,
      title,
      position: (files.at(-1)?.position ?? -1) + 1,
    })
    .execute()
  await keepFiles(context, productId)
}

/**
 * Gives a file of a product another title, or other bytes: the next version of it.
 * @returns whether anything is new
 * @throws Problem not_found, invalid_reference
 */
export async function changeFile(context: CourseContext, productId: string, id: string, { file_id, title }: SentFile): Promise<boolean> {
  const { writer, school, now } = context
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
    .where('school_id', '=', school.id)
    .where('id', '=', id)
    .execute()
  await keepFiles(context, productId)
  return true
}

/**
 * Takes a file away. What is published keeps one.
 * @throws Problem not_found, invalid_state
 */
export async function removeFile(context: CourseContext, product: { id: string; status: string }, id: string): Promise<void> {
  const { writer, school } = context
  const files = await filesOfProduct(context, product.id)
  if (!files.some((one) => one.id === id)) throw noSuchFile()
  if (files.length === 1 && product.status === 'published')
    throw new Problem('invalid_state', { description: 'This is the only file of a published product. Add another one first.' })
  await writer.deleteFrom('product_file').where('school_id', '=', school.id).where('id', '=', id).execute()
  await placeFiles(
    context,
    files.filter((one) => one.id !== id).map((one) => one.id),
  )
  await keepFiles(context, product.id)
}

/**
 * Puts the files of a product into a new order, all of them.
 * @returns whether anything is new
 * @throws Problem incomplete_order with the ids that are missing or not of this product
 */
export async function orderFiles(context: CourseContext, productId: string, sent: readonly string[]): Promise<boolean> {
  const before = (await filesOfProduct(context, productId)).map(({ id }) => id)
  const ids = sent.map((id) => fromPublicId('dpf', id) as string)
  const foreign = sent.filter((_id, index) => !before.includes(ids[index] as string))
  if (foreign.length > 0 || new Set(ids).size !== ids.length || ids.length !== before.length) {
    const details: ProblemDetail[] = [
      { field: 'file_ids', code: 'incomplete', message: 'file_ids: name every file of the product once, and no other', meta: { foreign } },
    ]
    throw new Problem('incomplete_order', { description: 'The order must name every file of the product once.', details })
  }
  if (ids.every((id, index) => id === before[index])) return false
  await placeFiles(context, ids)
  return true
}

/** Locks nothing: who changes files holds the row of their product. */
const filesOfProduct = ({ writer, school }: CourseContext, productId: string) =>
  writer
    .selectFrom('product_file')
    .select(['id', 'file_id', 'title', 'position'])
    .where('school_id', '=', school.id)
    .where('product_id', '=', productId)
    .orderBy('position')
    .execute()

async function requireFile({ writer, school }: CourseContext, sent: string, kept?: string): Promise<string> {
  const id = fromPublicId('fil', sent) as string
  if (id === kept) return id
  const [file] = await lockFiles(writer, school.id, [id])
  if (file?.status === 'ready' && file.purpose === 'digital_product' && file.visibility === 'private') return id
  throw new Problem('invalid_reference', {
    details: [
      {
        field: 'file_id',
        code: 'invalid_reference',
        message: 'file_id: must be a private file of the school for the purpose digital_product whose upload is complete',
      },
    ],
  })
}

// One statement: the constraint on the places is checked at its end.
async function placeFiles({ sql, school }: CourseContext, ids: readonly string[]): Promise<void> {
  await sql.query(
    `UPDATE product_file SET position = placed.position - 1
       FROM unnest($2::uuid[]) WITH ORDINALITY AS placed (id, position)
      WHERE product_file.school_id = $1 AND product_file.id = placed.id`,
    [school.id, ids],
  )
}

async function keepFiles(context: CourseContext, productId: string): Promise<void> {
  const { writer, school } = context
  const fileIds = [...new Set((await filesOfProduct(context, productId)).map(({ file_id }) => file_id))]
  const references = fileIds.map((fileId) => ({ field: 'files', fileId }))
  await setFileReferences(writer, { schoolId: school.id, type: 'digital_product', id: productId }, { fields: ['files'], references })
}

const noSuchFile = (): Problem => new Problem('not_found', { description: 'The product has no such file.' })
