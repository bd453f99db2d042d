import { uuidOf } from '../../base/ids.ts'
import { fieldError, fieldProblem, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { ChangeContext, RenderingContext } from '../changeContext.ts'
import { htmlColumn } from '../markupRenderer.ts'

interface IncludesInput {
  course_ids: readonly string[]
  digital_product_ids: readonly string[]
}

interface PlanInput {
  includes?: IncludesInput | undefined
}

const kinds = [
  { type: 'course', prefix: 'crs', field: 'course_ids' },
  { type: 'digital_product', prefix: 'dgp', field: 'digital_product_ids' },
] as const

/** Returns the columns of a new plan that the request does not contain: the last position, and the HTML of the description. */
export async function planDefaults(
  { writer, externalServices }: ChangeContext & RenderingContext,
  values: Readonly<Record<string, unknown>>,
) {
  const last = await writer
    .selectFrom('membership_plan')
    .select((plan) => plan.fn.max('position').as('position'))
    .executeTakeFirst()
  return { position: (last?.position ?? -1) + 1, ...(await htmlColumn(externalServices.markup, 'description', values)) }
}

export async function checkIncludes({ includes }: PlanInput, { writer }: ChangeContext): Promise<ProblemDetail[]> {
  if (!includes) return []
  const fieldErrors = await Promise.all(
    kinds.map(async ({ type, prefix, field }) => {
      const ids = includes[field].map((id) => uuidOf(prefix, id))
      const known = await idsIn(writer, { table: type, ids })
      return ids.flatMap((id, index) =>
        known.has(id) ? [] : [fieldError(`includes.${field}.${index}`, 'invalid_reference', 'the school has no item with this id')],
      )
    }),
  )
  return fieldErrors.flat()
}

/** Replaces the items of a plan. Its subscribers gain or lose access with this transaction: access is computed, never copied. */
export async function savePlanItems({ writer }: ChangeContext, plan: { id: string }, { includes }: PlanInput): Promise<void> {
  if (!includes) return
  await writer.deleteFrom('plan_item').where('plan_id', '=', plan.id).execute()
  const items = kinds.flatMap(({ type, prefix, field }) =>
    includes[field].map((id) => ({
      school_id: writer.schoolId,
      plan_id: plan.id,
      product_type: type,
      product_id: uuidOf(prefix, id),
    })),
  )
  if (items.length > 0) await writer.insertInto('plan_item').values(items).execute()
}

/** @throws Problem not_publishable for a plan without an active price */
export async function requirePrice({ writer }: ChangeContext, plan: { id: string }) {
  const price = await writer
    .selectFrom('plan_price')
    .select('id')
    .where('plan_id', '=', plan.id)
    .where('active', '=', true)
    .executeTakeFirst()
  if (price) return {}
  throw fieldProblem('not_publishable', 'prices', 'required', 'an active plan needs an active price')
}

export async function removePrices({ writer }: ChangeContext, plan: { id: string }): Promise<undefined> {
  await writer.deleteFrom('plan_price').where('plan_id', '=', plan.id).execute()
}

async function idsIn(
  writer: SchoolWriter,
  { table, ids }: { table: 'course' | 'digital_product'; ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await writer.selectFrom(table).select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}
