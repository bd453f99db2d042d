import type { ExpressionBuilder } from 'kysely'
import { fromPublicId, toPublicId } from '../../base/ids.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import type { DB } from '../../gen/kysely/tables.ts'

const prefixes = { course: 'crs', digital_product: 'dgp', membership_plan: 'mpl', event: 'evt' } as const
export const productTypes = keysOf(prefixes)

export const productKey = (type: string, id: string): string => toPublicId(prefixes[type as keyof typeof prefixes] ?? 'dgp', id)

export function productOf(key: string): { type: string; id: string } | undefined {
  const found = productTypes.flatMap((type) => {
    const id = fromPublicId(prefixes[type], key)
    return id === undefined ? [] : [{ type, id }]
  })
  return found[0]
}

/** Selects the title of a course by its id, in a query over a table of figures. */
export const titleOfCourse = (line: ExpressionBuilder<DB, 'analytics_daily_course'>) =>
  line.selectFrom('course').select('course.title').whereRef('course.id', '=', 'analytics_daily_course.course_id')

export const titleOfProduct = (line: ExpressionBuilder<DB, 'analytics_daily_product'>) =>
  line
    .case('analytics_daily_product.product_type')
    .when('course')
    .then(line.selectFrom('course').select('course.title').whereRef('course.id', '=', 'analytics_daily_product.product_id'))
    .when('digital_product')
    .then(
      line
        .selectFrom('digital_product')
        .select('digital_product.title')
        .whereRef('digital_product.id', '=', 'analytics_daily_product.product_id'),
    )
    .when('membership_plan')
    .then(
      line
        .selectFrom('membership_plan')
        .select('membership_plan.name as title')
        .whereRef('membership_plan.id', '=', 'analytics_daily_product.product_id'),
    )
    .when('event')
    .then(line.selectFrom('event').select('event.title').whereRef('event.id', '=', 'analytics_daily_product.product_id'))
    .end()

export const maxGroups = 100
