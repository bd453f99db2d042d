import { newId } from '../../lib/ids.ts'
import type { CourseContext } from '../courses/courseWriting.ts'
import type { FreeSlug } from '../courses/duplicateCourse.ts'

/** Copies a product as a draft at the end of the shop, with its files; answers the id of the copy. */
export async function duplicateProduct(
  { writer, sql, school, now }: CourseContext,
  { id: originalId, title: originalTitle }: { id: string; title: string },
  copying: { title?: string; slug?: string },
  freeSlug: FreeSlug,
): Promise<string> {
  const ofSchool = writer.selectFrom('digital_product').where('school_id', '=', school.id)
  const original = await ofSchool.selectAll().where('id', '=', originalId).executeTakeFirstOrThrow()
  const last = await ofSchool.select((row) => row.fn.max('position').as('position')).executeTakeFirst()
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
      // A key of another system names one row.
      external_id: null,
      version: 1,
      sales_count: 0,
      published_at: null,
      archived_at: null,
      created_at: now,
      updated_at: now,
    })
    .execute()
  const files = await writer
    .selectFrom('product_file')
    .selectAll()
    .where('school_id', '=', school.id)
    .where('product_id', '=', originalId)
    .execute()
  if (files.length > 0) {
    await writer
      .insertInto('product_file')
      .values(
        files.map((file) => ({ ...file, id: newId(), product_id: id, file_version: 1, version: 1, created_at: now, updated_at: now })),
      )
      .execute()
  }
  await sql.query(
    `INSERT INTO file_reference (school_id, file_id, ref_type, ref_id, field)
     SELECT school_id, file_id, ref_type, $3, field FROM file_reference WHERE school_id = $1 AND ref_type = 'digital_product' AND ref_id = $2`,
    [school.id, originalId, id],
  )
  return id
}
