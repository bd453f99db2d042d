import type { Expression } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Caller, PersonCaller } from '../../base/caller.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import { hasPlan, includesProduct, isVisiblePlan } from '../memberships/planVisibility.ts'

type Products = Builder<'digital_product'>

export const isPublished = (product: Products): Condition => product('digital_product.status', '=', 'published')

export function isOwned(product: Products, { personId }: Pick<PersonCaller, 'personId'>): Condition {
  if (personId === null) return product.lit(false)
  return product.or([
    product.exists(
      product
        .selectFrom('product_grant')
        .whereRef('product_grant.product_id', '=', 'digital_product.id')
        .where('product_grant.person_id', '=', personId)
        .where('product_grant.revoked_at', 'is', null)
        // A grant with this source only counts downloads. The plan itself grants access: see below.
        .where('product_grant.source', '!=', 'plan'),
    ),
    product.and([
      product('digital_product.status', '!=', 'draft'),
      hasPlan(product, { personId: product.cast<string>(product.val(personId), 'uuid') }, (plan) =>
        includesProduct(plan, 'digital_product', product.ref('digital_product.id')),
      ),
    ]),
  ])
}

/** Matches products that a signed-in person can see: published ones, and their own. */
export const isKnownProduct = (product: Products, me: PersonCaller): Condition => product.or([isPublished(product), isOwned(product, me)])

export const ownedBy = (product: Products, caller: Caller): Condition =>
  caller.kind === 'person' ? isOwned(product, caller) : product.lit(false)

/** Matches the products that the caller owns, or for `false` the others. */
export function isOwnedAs(product: Products, [owned]: readonly string[], caller: Caller): Condition {
  return owned === 'true' ? ownedBy(product, caller) : product.not(ownedBy(product, caller))
}

export const hasTag = (product: Products, tags: readonly string[]): Condition =>
  product.or(tags.map((tag) => product(product.val(comparisonForm(tag)), '=', product.fn.any('digital_product.tag_forms'))))

/** Matches products that one of these plans includes, if the caller can see the plan. */
export const isInPlan = (product: Products, planIds: readonly string[], caller: Caller): Condition =>
  product.exists(
    product
      .selectFrom('plan_item')
      .innerJoin('membership_plan', 'membership_plan.id', 'plan_item.plan_id')
      .whereRef('plan_item.product_id', '=', 'digital_product.id')
      .where('plan_item.product_type', '=', 'digital_product')
      .where('plan_item.plan_id', 'in', [...planIds])
      .where((plan) => isVisiblePlan(plan, caller)),
  )

/** A file of a product as a query returns it. Eight-byte numbers may be text. */
export interface StoredProductFile {
  id: string
  file_id: string
  title: string
  filename: string
  content_type: string
  byte_size: number | string
  version: number
}

export const filesOf = (product: Products): Expression<unknown> =>
  jsonArrayFrom(
    product
      .selectFrom('product_file')
      .innerJoin('file', 'file.id', 'product_file.file_id')
      .select([
        'product_file.id',
        'product_file.file_id',
        'product_file.title',
        'file.filename',
        'file.content_type',
        'file.bytes as byte_size',
        'product_file.file_version as version',
      ])
      .whereRef('product_file.product_id', '=', 'digital_product.id')
      .orderBy('product_file.position'),
  )

export interface StoredPreview {
  file_id: string
  filename: string
  content_type: string
  byte_size: number | string
}

/** Selects the public preview file; null if there is none, or if it was deleted. */
export const previewOf = (product: Products): Expression<unknown> =>
  jsonObjectFrom(
    product
      .selectFrom('file')
      .select(['file.id as file_id', 'file.filename', 'file.content_type', 'file.bytes as byte_size'])
      .whereRef('file.id', '=', 'digital_product.preview_file_id')
      .where('file.status', '=', 'ready')
      .where('file.visibility', '=', 'public'),
  )
