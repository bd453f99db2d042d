import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { Caller, PersonCaller } from '../../policy/caller.ts'
import { hasPlan, includesProduct } from '../memberships/planSummaries.ts'
import { isPlanOf } from '../memberships/planVisibility.ts'

type Products = ExpressionBuilder<DB, 'digital_product'>
type Plans = ExpressionBuilder<DB, 'membership_plan'>
type Condition = Expression<SqlBool>

/** What anyone finds in the shop. */
export const isOnShelf = (product: Products): Condition => product('digital_product.status', '=', 'published')

/** What the person was given, or has by a plan, now. */
export function isOwned(product: Products, { personId }: Pick<PersonCaller, 'personId'>): Condition {
  if (personId === null) return product.lit(false)
  return product.or([
    product.exists(
      product
        .selectFrom('product_grant')
        .select('product_grant.id')
        .whereRef('product_grant.school_id', '=', 'digital_product.school_id')
        .whereRef('product_grant.product_id', '=', 'digital_product.id')
        .where('product_grant.person_id', '=', personId)
        .where('product_grant.revoked_at', 'is', null)
        // Such a grant counts downloads and opens nothing: whether there is a plan is asked below.
        .where('product_grant.source', '!=', 'plan'),
    ),
    product.and([
      product('digital_product.status', '!=', 'draft'),
      hasPlan(
        product,
        { schoolId: product.ref('digital_product.school_id'), personId: product.cast<string>(product.val(personId), 'uuid') },
        (plan) => includesProduct(plan, 'digital_product', product.ref('digital_product.id')),
      ),
    ]),
  ])
}

/** What a person of the school finds: the shop, and what is theirs although it is not sold any more. */
export const isKnownProduct = (product: Products, me: PersonCaller): Condition => product.or([isOnShelf(product), isOwned(product, me)])

/** Whether it belongs to the caller. */
export const ownedBy = (product: Products, caller: Caller): Condition =>
  caller.kind === 'person' ? isOwned(product, caller) : product.lit(false)

/** Products that are the caller's own, or the others. */
export function isOwnedAs(product: Products, [answer]: readonly string[], caller: Caller): Condition {
  return answer === 'true' ? ownedBy(product, caller) : product.not(ownedBy(product, caller))
}

/** Products that carry one of the tags. */
export const hasTag = (product: Products, tags: readonly string[]): Condition =>
  product.or(tags.map((tag) => product(product.val(tag), '=', product.fn.any('digital_product.tags'))))

/** Products that one of these plans opens, as far as the caller may know of the plan. */
export const isInPlan = (product: Products, planIds: readonly string[], caller: Caller): Condition =>
  product.exists(
    product
      .selectFrom('plan_item')
      .innerJoin('membership_plan', (join) =>
        join.onRef('membership_plan.school_id', '=', 'plan_item.school_id').onRef('membership_plan.id', '=', 'plan_item.plan_id'),
      )
      .select('plan_item.plan_id')
      .whereRef('plan_item.school_id', '=', 'digital_product.school_id')
      .whereRef('plan_item.product_id', '=', 'digital_product.id')
      .where('plan_item.product_type', '=', 'digital_product')
      .where('plan_item.plan_id', 'in', [...planIds])
      .where((plan) => isPlanOf(plan as unknown as Plans, caller)),
  )

/** A file of a product, as it is read inside it. Eight-byte numbers may arrive as text. */
export interface StoredProductFile {
  id: string
  file_id: string
  title: string
  filename: string
  content_type: string
  byte_size: number | string
  version: number
}

/** The files of a product in their order. */
export const filesOf = (product: Products): Expression<unknown> =>
  product
    .selectFrom((inner) =>
      inner
        .selectFrom('product_file')
        .innerJoin('file', (join) =>
          join.onRef('file.school_id', '=', 'product_file.school_id').onRef('file.id', '=', 'product_file.file_id'),
        )
        .select([
          'product_file.id',
          'product_file.file_id',
          'product_file.title',
          'file.filename',
          'file.content_type',
          'file.bytes as byte_size',
          'product_file.file_version as version',
        ])
        .whereRef('product_file.school_id', '=', 'digital_product.school_id')
        .whereRef('product_file.product_id', '=', 'digital_product.id')
        .orderBy('product_file.position')
        .as('listed'),
    )
    .select((listed) => listed.fn.jsonAgg('listed').as('files'))

/** What can be looked at before it is one's own. */
export interface StoredPreview {
  file_id: string
  filename: string
  content_type: string
  byte_size: number | string
}

/** The file that everybody may look at; null where there is none, or where it is gone. */
export const previewOf = (product: Products): Expression<unknown> =>
  product
    .selectFrom((inner) =>
      inner
        .selectFrom('file')
        .select(['file.id as file_id', 'file.filename', 'file.content_type', 'file.bytes as byte_size'])
        .whereRef('file.school_id', '=', 'digital_product.school_id')
        .whereRef('file.id', '=', 'digital_product.preview_file_id')
        .where('file.status', '=', 'ready')
        .where('file.visibility', '=', 'public')
        .as('shown'),
    )
    .select((shown) => shown.fn.toJson('shown').as('preview'))
