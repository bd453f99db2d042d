import { fromPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { lockFiles, removeFileReferences, setFileReferences } from '../../store/fileReferences.ts'
import type { CourseContext } from '../courses/courseWriting.ts'
import { priceErrors } from '../priceRules.ts'
import { htmlColumn } from '../richText.ts'
import { requireNamedNowhere } from './namedProduct.ts'

type Values = Readonly<Record<string, unknown>>

interface Product {
  id: string
  access: string
  price_amount: number | string | null
  published_at: Date | null
  preview_file_id: string | null
}

/** What a new product has beside what was sent: the last place, and the HTML of its text. */
export async function productDefaults({ writer, school }: CourseContext, values: Values) {
  const last = await writer
    .selectFrom('digital_product')
    .select((product) => product.fn.max('position').as('position'))
    .where('school_id', '=', school.id)
    .executeTakeFirst()
  return { position: (last?.position ?? -1) + 1, ...htmlColumn('description', values) }
}

/** Whether the fields of a product fit together, and whether everybody may look at its preview. */
export async function checkProduct(values: Values, context: CourseContext, before?: Product): Promise<ProblemDetail[]> {
  const { writer, school } = context
  const { currency } = await writer.selectFrom('school').select('currency').where('id', '=', school.id).executeTakeFirstOrThrow()
  return [...priceErrors(values, currency, 'product'), ...(await previewErrors(values, context, before))]
}

async function previewErrors(
  { preview_file: sent }: Values,
  { writer, school }: CourseContext,
  before?: Product,
): Promise<ProblemDetail[]> {
  const field = 'preview_file.file_id'
  const id = sent ? fromPublicId('fil', (sent as { file_id: string }).file_id) : undefined
  if (id === undefined || id === before?.preview_file_id) return []
  const [file] = await lockFiles(writer, school.id, [id])
  if (file?.status === 'ready' && file.visibility === 'public') return []
  return [{ field, code: 'invalid_reference', message: `${field}: must be a public file of the school whose upload is complete` }]
}

/** Notes which file a product shows beforehand. */
export async function keepPreview({ writer, school }: CourseContext, product: Product): Promise<void> {
  const references = product.preview_file_id === null ? [] : [{ field: 'preview_file', fileId: product.preview_file_id }]
  await setFileReferences(
    writer,
    { schoolId: school.id, type: 'digital_product', id: product.id },
    { fields: ['preview_file'], references },
  )
}

/** @throws Problem not_publishable with everything that is missing */
export async function publishProduct({ writer, school, now }: CourseContext, product: Product) {
  const missing: ProblemDetail[] = []
  const file = await writer
    .selectFrom('product_file')
    .select('id')
    .where('school_id', '=', school.id)
    .where('product_id', '=', product.id)
    .executeTakeFirst()
  if (!file) missing.push({ field: 'files', code: 'required', message: 'files: there is nothing to download' })
  if (product.access === 'paid' && product.price_amount === null)
    missing.push({ field: 'price', code: 'required', message: 'price: a paid product needs one' })
  if (missing.length > 0) throw new Problem('not_publishable', { details: missing })
  return { published_at: product.published_at ?? now, archived_at: null }
}

/** @throws Problem invalid_state where somebody owns it */
export async function unpublishProduct({ writer, school }: CourseContext, product: Product) {
  const owner = await writer
    .selectFrom('product_grant')
    .select('id')
    .where('school_id', '=', school.id)
    .where('product_id', '=', product.id)
    .where('revoked_at', 'is', null)
    .where('source', '!=', 'plan')
    .executeTakeFirst()
  if (owner)
    throw new Problem('invalid_state', {
      description: 'Somebody owns this product. Archive it: then it is not sold any more and stays theirs.',
    })
  return {}
}

/** Lets go of what only the product holds. */
export async function removeProductParts(context: CourseContext, product: Product): Promise<undefined> {
  const { writer, school } = context
  await requireNamedNowhere(context, { type: 'digital_product', id: product.id })
  await removeFileReferences(writer, { schoolId: school.id, type: 'digital_product', id: product.id })
}
