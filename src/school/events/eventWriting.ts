import { audienceOf } from '../../base/caller.ts'
import { fromPublicId, uuidOf } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import type { RenderingContext } from '../changeContext.ts'
import { checkLecturers, priceCallerErrors, salesRules, type WriteContext } from '../courses/courseWriting.ts'
import { htmlColumn } from '../markupRenderer.ts'

/** The fields of an event as a request sends them, over those that are stored. */
type EventValues = Readonly<{
  kind?: string
  starts_at?: string
  ends_at?: string
  rsvp_opens_at?: string | null
  rsvp_closes_at?: string | null
  location?: object | null
  capacity?: number | null
  access?: string
  plan_ids?: readonly string[]
  course_id?: string | null
  lecturer_ids?: readonly string[]
  price?: { amount: number; currency: string } | null
}>

const longestDays = 14
const dayMs = 86_400_000

export async function eventDefaults(
  { writer, externalServices }: WriteContext & RenderingContext,
  values: Readonly<Record<string, unknown>>,
) {
  const { time_zone } = await writer.selectFrom('school').select('time_zone').where('id', '=', writer.schoolId).executeTakeFirstOrThrow()
  return { time_zone, ...(await htmlColumn(externalServices.markup, 'description', values)) }
}

type EventBefore = Stored<'event', 'going_count' | 'price_amount'>

export async function checkEvent(values: EventValues, context: WriteContext, before?: EventBefore): Promise<ProblemDetail[]> {
  const own = [...timeErrors(values), ...placeErrors(values), ...accessErrors(values)]
  const { capacity } = values
  if (before && typeof capacity === 'number' && capacity < before.going_count) {
    own.push({
      ...fieldError('capacity', 'min', `must be at least ${before.going_count}, the number of taken seats`),
      meta: { min: before.going_count },
    })
  }
  return [
    ...own,
    ...(await eventPriceErrors(values, context, before)),
    ...(await planErrors(values, context)),
    ...(await checkLecturers(values, context)),
  ]
}

async function eventPriceErrors({ price }: EventValues, context: WriteContext, before?: EventBefore): Promise<ProblemDetail[]> {
  const current = before?.price_amount === null || before === undefined ? null : Number(before.price_amount)
  if (!price && current === null) return []
  const { currency } = await salesRules(context)
  return [
    ...(price && price.amount === 0
      ? [fieldError('price.amount', 'min', 'must be greater than 0. Use null for an event without a price')]
      : []),
    ...(price && price.currency !== currency
      ? [fieldError('price.currency', 'not_allowed', `must be ${currency}, the currency of the school`)]
      : []),
  ]
}

/** Returns errors if the caller sets a price, or names hosts without themselves, without permission. */
export async function checkEventCaller(
  { price, lecturer_ids = [] }: EventValues,
  context: WriteContext,
  event?: object,
): Promise<ProblemDetail[]> {
  const { caller } = context
  const isPriced = event ? price !== undefined : Boolean(price)
  const isWithout = audienceOf(caller) === 'lecturer' && !lecturer_ids.some((id) => uuidOf('lec', id) === caller.lecturerId)
  return [
    ...(isPriced ? await priceCallerErrors(context) : []),
    ...(isWithout && lecturer_ids.length > 0 ? [fieldError('lecturer_ids', 'not_allowed', 'must contain yourself')] : []),
  ]
}

/** @throws Problem invalid_state for a cancelled event, which cannot be changed */
export function requireNotCanceled({ status }: { status: string }): void {
  if (status !== 'canceled') return
  throw new Problem('invalid_state', {
    description: 'A canceled event cannot be changed. Duplicate it instead.',
    details: [
      { field: 'status', code: 'invalid_state', message: 'The event is canceled.', meta: { status, allowed: ['draft', 'published'] } },
    ],
  })
}

/** Saves the hosts and the plans of an event if the request sent them. A lecturer who creates an event becomes its host. */
export async function saveEventParts(
  { writer, caller }: WriteContext,
  event: { id: string },
  { lecturer_ids, plan_ids }: EventValues,
  isNew = false,
): Promise<void> {
  const own = isNew && audienceOf(caller) === 'lecturer' && caller.lecturerId !== null ? [caller.lecturerId] : undefined
  const key = { schoolId: writer.schoolId, eventId: event.id }
  const hosts = lecturer_ids?.flatMap((id) => fromPublicId('lec', id) ?? []) ?? own
  if (hosts) await setHosts(writer, key, hosts)
  const plans = plan_ids?.flatMap((id) => fromPublicId('mpl', id) ?? [])
  if (plans) await setPlans(writer, key, [...new Set(plans)])
}

interface EventKey {
  eventId: string
}

async function setHosts(writer: SchoolWriter, { eventId }: EventKey, lecturerIds: readonly string[]): Promise<void> {
  await writer.deleteFrom('event_host').where('event_id', '=', eventId).execute()
  if (lecturerIds.length === 0) return
  await writer
    .insertInto('event_host')
    .values(lecturerIds.map((lecturer_id, position) => ({ school_id: writer.schoolId, event_id: eventId, lecturer_id, position })))
    .execute()
}

async function setPlans(writer: SchoolWriter, { eventId }: EventKey, planIds: readonly string[]): Promise<void> {
  await writer.deleteFrom('event_plan').where('event_id', '=', eventId).execute()
  if (planIds.length === 0) return
  await writer
    .insertInto('event_plan')
    .values(planIds.map((plan_id) => ({ school_id: writer.schoolId, event_id: eventId, plan_id })))
    .execute()
}

const timeOf = (value: string | null | undefined): number | undefined => (typeof value === 'string' ? Date.parse(value) : undefined)

function timeErrors(values: EventValues): ProblemDetail[] {
  const [starts, ends] = [timeOf(values.starts_at), timeOf(values.ends_at)]
  const [opens, closes] = [timeOf(values.rsvp_opens_at), timeOf(values.rsvp_closes_at)]
  const fieldErrors: ProblemDetail[] = []
  if (starts !== undefined && ends !== undefined) {
    if (ends <= starts) fieldErrors.push(fieldError('ends_at', 'min', 'must be later than starts_at'))
    else if (ends - starts > longestDays * dayMs)
      fieldErrors.push(fieldError('ends_at', 'max', `must be at most ${longestDays} days after starts_at`))
  }
  if (closes !== undefined && ends !== undefined && closes > ends)
    fieldErrors.push(fieldError('rsvp_closes_at', 'max', 'must not be later than ends_at'))
  if (opens !== undefined && closes !== undefined && closes <= opens) {
    fieldErrors.push(fieldError('rsvp_closes_at', 'min', 'must be later than rsvp_opens_at'))
  }
  return fieldErrors
}

const placeErrors = ({ kind, location }: EventValues): ProblemDetail[] =>
  kind !== 'online' && (location === null || location === undefined)
    ? [fieldError('location', 'required', 'must be set for an event that is not online')]
    : []

function accessErrors({ access = 'public', plan_ids = [], course_id = null }: EventValues): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  if (access === 'plans' && plan_ids.length === 0)
    fieldErrors.push(fieldError('plan_ids', 'required', 'must name at least one plan for access plans'))
  if (access !== 'plans' && plan_ids.length > 0)
    fieldErrors.push(fieldError('plan_ids', 'not_allowed', 'must be empty unless access is plans'))
  if (access === 'course' && course_id === null) fieldErrors.push(fieldError('course_id', 'required', 'must be set for access course'))
  return fieldErrors
}

async function planErrors({ plan_ids = [] }: EventValues, { writer }: WriteContext): Promise<ProblemDetail[]> {
  const ids = [...new Set(plan_ids.flatMap((id) => fromPublicId('mpl', id) ?? []))]
  if (ids.length === 0) return []
  const found = await writer.selectFrom('membership_plan').select('id').where('id', 'in', ids).execute()
  return found.length < ids.length ? [fieldError('plan_ids', 'invalid_reference', 'must name plans of this school')] : []
}
