import { fromPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import type { Writer } from '../../store/database.ts'
import type { CourseContext } from '../courses/courseWriting.ts'
import { htmlColumn } from '../richText.ts'

type Values = Readonly<Record<string, unknown>>

/** What a plan opens, as it is sent. */
interface SentIncludes {
  course_ids: readonly string[]
  digital_product_ids: readonly string[]
}

const kinds = [
  { type: 'course', prefix: 'crs', field: 'course_ids' },
  { type: 'digital_product', prefix: 'dgp', field: 'digital_product_ids' },
] as const

/** What a new plan has beside what was sent: the last place, and the HTML of its text. */
export async function planDefaults({ writer, school }: CourseContext, values: Values) {
  const last = await writer
    .selectFrom('membership_plan')
    .select((plan) => plan.fn.max('position').as('position'))
    .where('school_id', '=', school.id)
    .executeTakeFirst()
  return { position: (last?.position ?? -1) + 1, ...htmlColumn('description', values) }
}

/** Courses and products that a plan names and the school does not have. */
export async function checkIncludes(values: Values, { writer, school }: CourseContext): Promise<ProblemDetail[]> {
  const includes = values.includes as SentIncludes | undefined
  if (!includes) return []
  const fieldErrors = await Promise.all(
    kinds.map(async ({ type, prefix, field }) => {
      const ids = includes[field].map((id) => fromPublicId(prefix, id) as string)
      const known = await idsIn(writer, { table: type, schoolId: school.id, ids })
      return ids.flatMap((id, index): ProblemDetail[] => {
        const at = `includes.${field}.${index}`
        return known.has(id) ? [] : [{ field: at, code: 'invalid_reference', message: `${at}: the school has nothing of that id` }]
      })
    }),
  )
  return fieldErrors.flat()
}

/** Writes what a plan names one by one. Who has the plan gains or loses it with this transaction: access is read, never copied. */
export async function keepItems({ writer, school }: CourseContext, plan: { id: string }, values: Values): Promise<void> {
  const includes = values.includes as SentIncludes | undefined
  if (!includes) return
  await writer.deleteFrom('plan_item').where('school_id', '=', school.id).where('plan_id', '=', plan.id).execute()
  const items = kinds.flatMap(({ type, prefix, field }) =>
    includes[field].map((id) => ({
      school_id: school.id,
      plan_id: plan.id,
      product_type: type,
      product_id: fromPublicId(prefix, id) as string,
    })),
  )
  if (items.length > 0) await writer.insertInto('plan_item').values(items).execute()
}

/** @throws Problem not_publishable for a plan without a price that can be chosen */
export async function requirePrice({ writer, school }: CourseContext, plan: { id: string }) {
  const price = await writer
    .selectFrom('plan_price')
    .select('id')
    .where('school_id', '=', school.id)
    .where('plan_id', '=', plan.id)
    .where('active', '=', true)
    .executeTakeFirst()
  if (price) return {}
  throw new Problem('not_publishable', {
    details: [{ field: 'prices', code: 'required', message: 'prices: an active plan needs a price that can be chosen' }],
  })
}

/** Lets go of what only the plan holds. */
export async function removePrices({ writer, school }: CourseContext, plan: { id: string }): Promise<undefined> {
  await writer.deleteFrom('plan_price').where('school_id', '=', school.id).where('plan_id', '=', plan.id).execute()
}

async function idsIn(
  writer: Writer,
  { table, schoolId, ids }: { table: 'course' | 'digital_product'; schoolId: string; ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await writer.selectFrom(table).select('id').where('school_id', '=', schoolId).where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}
