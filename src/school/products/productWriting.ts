import { fromPublicId } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { Stored } from '../../database/connection/database.ts'
import { lockFiles } from '../../database/files/fileReferences.ts'
import type { ChangeContext, RenderingContext } from '../changeContext.ts'
import { currencyOf } from '../currencyOf.ts'
import { htmlColumn } from '../markupRenderer.ts'
import { type Priced, priceErrors } from '../priceRules.ts'
import { requireUnreferenced } from './requireUnreferenced.ts'

interface ProductInput extends Priced {
  preview_file?: { file_id: string } | null | undefined
}

type Product = Stored<'digital_product', 'id' | 'access' | 'price_amount' | 'published_at' | 'preview_file_id'>

/** Returns the columns of a new product that the request does not contain: the last position, and the HTML of the description. */
export async function productDefaults(
  { writer, externalServices }: ChangeContext & RenderingContext,
  values: Readonly<Record<string, unknown>>,
) {
  const last = await writer
    .selectFrom('digital_product')
    .select((product) => product.fn.max('position').as('position'))
    .executeTakeFirst()
  return { position: (last?.position ?? -1) + 1, ...(await htmlColumn(externalServices.markup, 'description', values)) }
}

/** Checks that the fields of a product are consistent, and that its preview file is public. */
export async function checkProduct(values: ProductInput, context: ChangeContext, before?: Product): Promise<ProblemDetail[]> {
  const currency = await currencyOf(context.writer)
  return [...priceErrors(values, currency, 'product'), ...(await previewErrors(values, context, before))]
}

async function previewErrors(
  { preview_file: preview }: ProductInput,
  { writer }: ChangeContext,
  before?: Product,
): Promise<ProblemDetail[]> {
  const field = 'preview_file.file_id'
  const id = preview ? fromPublicId('fil', preview.file_id) : undefined
  if (id === undefined || id === before?.preview_file_id) return []
  const [file] = await lockFiles(writer, writer.schoolId, [id])
  if (file?.status === 'ready' && file.visibility === 'public') return []
  return [fieldError(field, 'invalid_reference', 'must be a public, completely uploaded file of the school')]
}

/**
 * Returns the columns of a published product.
 * @throws Problem not_publishable with everything that is missing
 */
export async function publishProduct({ writer, now }: ChangeContext, product: Product) {
  const missing: ProblemDetail[] = []
  const file = await writer.selectFrom('product_file').select('id').where('product_id', '=', product.id).executeTakeFirst()
  if (!file) missing.push(fieldError('files', 'required', 'a published product needs a file'))
  if (product.access === 'paid' && product.price_amount === null)
    missing.push(fieldError('price', 'required', 'is required for a paid product'))
  if (missing.length > 0) throw new Problem('not_publishable', { details: missing })
  return { published_at: product.published_at ?? now, archived_at: null }
}

/** @throws Problem invalid_state if somebody owns the product */
export async function unpublishProduct({ writer }: ChangeContext, product: Product) {
  const owner = await writer
    .selectFrom('product_grant')
    .select('id')
    .where('product_id', '=', product.id)
    .where('revoked_at', 'is', null)
    .where('source', '!=', 'plan')
    .executeTakeFirst()
  if (owner)
    throw new Problem('invalid_state', {
      description: 'Somebody owns this product. Archive it instead: it is no longer sold, and its owners keep it.',
    })
  return {}
}

/**
 * Checks that nothing refers to a product that is deleted.
 * @throws Problem resource_in_use
 */
export async function beforeDeletion(context: ChangeContext, product: Product): Promise<undefined> {
  await requireUnreferenced(context, { type: 'digital_product', id: product.id })
}
