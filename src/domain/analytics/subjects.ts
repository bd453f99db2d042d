import { fromPublicId, toPublicId } from '../../lib/ids.ts'

const prefixes = { course: 'crs', digital_product: 'dgp', membership_plan: 'mpl' } as const
export const productTypes = Object.keys(prefixes) as (keyof typeof prefixes)[]

export const productKey = (type: string, id: string): string => toPublicId(prefixes[type as keyof typeof prefixes] ?? 'dgp', id)

/** The product behind a public id. */
export function productOf(key: string): { type: string; id: string } | undefined {
  const found = productTypes.flatMap((type) => {
    const id = fromPublicId(prefixes[type], key)
    return id === undefined ? [] : [{ type, id }]
  })
  return found[0]
}

/** What a product is called now. */
export const productTitle = (type: string, id: string): string => `CASE ${type}
  WHEN 'course' THEN (SELECT title FROM course WHERE course.school_id = $1::uuid AND course.id = ${id})
  WHEN 'digital_product' THEN (SELECT title FROM digital_product WHERE digital_product.school_id = $1::uuid AND digital_product.id = ${id})
  WHEN 'membership_plan' THEN (SELECT name FROM membership_plan WHERE membership_plan.school_id = $1::uuid AND membership_plan.id = ${id})
END`

/** How many parts a report tells apart. */
export const mostGroups = 100
