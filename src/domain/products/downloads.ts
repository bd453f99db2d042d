import { Problem } from '../../lib/problem.ts'
import type { Caller } from '../../policy/caller.ts'
import { audienceOf } from '../../policy/caller.ts'
import type { Database } from '../../store/database.ts'
import { grantProduct } from './grantProduct.ts'

interface Asked {
  school: { id: string }
  caller: Caller
  product: { id: string; access: string; status: string; download_limit: number | null; owned: boolean }
  /** Of the product's own files. */
  fileId: string
}

/** What the address of the bytes is made of. */
export interface DownloadedFile {
  id: string
  filename: string
  content_type: string
}

/**
 * Lets somebody have a file of a product, and counts it against their limit: staff, who owns the product, and everybody where it is free.
 * @throws Problem access_denied, not_found, download_limit_reached
 */
export async function download(store: Pick<Database, 'transaction'>, asked: Asked): Promise<DownloadedFile> {
  const { caller, product } = asked
  const isFree = product.access === 'free' && product.status === 'published'
  const isStaff = audienceOf(caller) === 'staff'
  if (!isStaff && !isFree && !product.owned) {
    throw new Problem('access_denied', {
      description: product.access === 'paid' ? 'Buy this product first.' : 'This product comes with a membership plan.',
    })
  }
  return await store.transaction(async (_writer, sql) => {
    const [file] = await sql.query<DownloadedFile>(
      `SELECT f.id, f.filename, f.content_type FROM product_file p
         JOIN file f ON f.school_id = p.school_id AND f.id = p.file_id AND f.status = 'ready'
        WHERE p.school_id = $1 AND p.product_id = $2 AND p.id = $3`,
      [asked.school.id, product.id, asked.fileId],
    )
    if (!file) throw new Problem('not_found', { description: 'The product has no such file.' })
    if (caller.kind === 'person' && caller.personId !== null && product.owned) {
      const person = { schoolId: asked.school.id, productId: product.id, personId: caller.personId }
      // Who has it by a plan gets a grant to count on. It opens nothing: the plan does.
      await grantProduct(sql, { ...person, now: new Date(), source: 'plan' })
      const counted = await sql.query(
        `UPDATE product_grant SET downloads_count = downloads_count + 1
          WHERE school_id = $1 AND product_id = $2 AND person_id = $3 AND ($4::int IS NULL OR downloads_count < $4) RETURNING id`,
        [person.schoolId, person.productId, person.personId, product.download_limit],
      )
      if (counted.length === 0 && !isFree && !isStaff) throw new Problem('download_limit_reached')
    }
    return file
  })
}
