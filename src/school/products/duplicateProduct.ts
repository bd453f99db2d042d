import { newId } from '../../base/ids.ts'
import { copyRows } from '../../database/statements/copyRows.ts'
import type { ChangeContext } from '../changeContext.ts'
import type { FreeSlug } from '../courses/duplicateCourse.ts'

/** Copies a product and its files as a draft at the end of the list. Returns the id of the copy. */
export async function duplicateProduct(
  { writer, now }: ChangeContext,
  { id: originalId, title: originalTitle }: { id: string; title: string },
  copying: { title?: string | undefined; slug?: string | undefined },
  freeSlug: FreeSlug,
): Promise<string> {
  const last = await writer
    .selectFrom('digital_product')
    .select((row) => row.fn.max('position').as('position'))
    .executeTakeFirst()
  const id = newId()
  const title = copying.title ?? `${originalTitle.slice(0, 150)} (copy)`
  const times = { created_at: now, updated_at: now }
  const own = { id, title, slug: copying.slug ?? (await freeSlug(title, id)), position: (last?.position ?? -1) + 1, ...times }
  await copyRows(writer, 'digital_product', [{ original: { id: originalId }, own }])
  const files = await writer.selectFrom('product_file').select('id').where('product_id', '=', originalId).execute()
  await copyRows(
    writer,
    'product_file',
    files.map((file) => ({ original: { id: file.id }, own: { id: newId(), product_id: id, ...times } })),
  )
  return id
}
