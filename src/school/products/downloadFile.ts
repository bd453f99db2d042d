import { audienceOf, type Caller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolDatabase, Stored } from '../../database/connection/database.ts'
import { grantProduct } from './grantProduct.ts'

interface DownloadRequest {
  school: { id: string }
  caller: Caller
  product: { id: string; access: string; status: string; download_limit: number | null; owned: boolean }
  fileId: string
}

export type DownloadedFile = Stored<'file', 'id' | 'filename' | 'content_type'>

/**
 * Checks that the caller may download a file of a product, and counts the download against their limit. Staff and owners may download it,
 * and everybody if the product is free.
 * @throws Problem access_denied, not_found, download_limit_reached
 */
export async function downloadFile(store: Pick<SchoolDatabase, 'transaction'>, request: DownloadRequest): Promise<DownloadedFile> {
  const { school, caller, product } = request
  const isFree = product.access === 'free' && product.status === 'published'
  const isStaff = audienceOf(caller) === 'staff'
  if (!isStaff && !isFree && !product.owned) {
    throw new Problem('access_denied', {
      description: product.access === 'paid' ? 'Buy this product first.' : 'This product is included in a membership plan. Join one first.',
    })
  }
  return await store.transaction(async (writer) => {
    const file = await writer
      .selectFrom('product_file')
      .innerJoin('file', (join) => join.onRef('file.id', '=', 'product_file.file_id').on('file.status', '=', 'ready'))
      .select(['file.id', 'file.filename', 'file.content_type'])
      .where('product_file.product_id', '=', product.id)
      .where('product_file.id', '=', request.fileId)
      .executeTakeFirst()
    if (!file) throw new Problem('not_found', { description: 'The product has no such file.' })
    const { download_limit: limit } = product
    if (caller.kind === 'person' && caller.personId !== null && product.owned) {
      const grant = { schoolId: school.id, productId: product.id, personId: caller.personId }
      // A person who owns the product by a plan gets a grant that only counts downloads. The plan itself grants access.
      await grantProduct(writer, { ...grant, now: new Date(), source: 'plan' })
      const counted = await writer
        .updateTable('product_grant')
        .set((row) => ({ downloads_count: row('downloads_count', '+', 1) }))
        .where('product_id', '=', grant.productId)
        .where('person_id', '=', grant.personId)
        .$if(limit !== null, (query) => query.where('downloads_count', '<', limit))
        .returning('id')
        .executeTakeFirst()
      if (!counted && !isFree && !isStaff) throw new Problem('download_limit_reached')
    }
    return file
  })
}
