import { newId } from '../../lib/ids.ts'
import type { ChangeContext } from '../changeContext.ts'
import type { FreeSlug } from '../courses/duplicateCourse.ts'

/** Copies a product and its files as a draft at the end of the list. Returns the id of the copy. */
export async function duplicateProduct(
  { writer, now }: ChangeContext,
  { id: originalId, title: originalTitle }: { id: string; title: string },
  copying: { title?: string | undefined; slug?: string | undefined },
  freeSlug: FreeSlug,
): Promise<string> {
  const products = writer.selectFrom('digital_product')
  const original = await products.selectAll().where('id', '=', originalId).executeTakeFirstOrThrow()
  const last = await products.select((row) => row.fn.max('position').as('position')).executeTakeFirst()
  const id = newId()
  const title = copying.title ?? `${originalTitle.slice(0, 150)} (copy)`
  await writer
    .insertInto('digital_product')
    .values({
      ...original,
      id,
      title,
      slug: copying.slug ?? (await freeSlug(title, id)),
      seo: JSON.stringify(original.seo),
      metadata: JSON.stringify(original.metadata),
      status: 'draft',
      position: (last?.position ?? -1) + 1,
      // An external id is unique.
      external_id: null,
      version: 1,
      sales_count: 0,
      published_at: null,
      archived_at: null,
      created_at: now,
      updated_at: now,
    })
    .execute()
  const files = await writer.selectFrom('product_file').selectAll().where('product_id', '=', originalId).execute()
  if (files.length > 0) {
    await writer
      .insertInto('product_file')
      .values(
        files.map((file) => ({ ...file, id: newId(), product_id: id, file_version: 1, version: 1, created_at: now, updated_at: now })),
      )
      .execute()
  }
  await writer
    .insertInto('file_reference')
    .columns(['school_id', 'file_id', 'ref_type', 'ref_id', 'field'])
    .expression((query) =>
      query
        .selectFrom('file_reference')
        .select((row) => ['school_id', 'file_id', 'ref_type', row.cast<string>(row.val(id), 'uuid').as('ref_id'), 'field'])
        .where('ref_type', '=', 'digital_product')
        .where('ref_id', '=', originalId),
    )
    .execute()
  return id
}
