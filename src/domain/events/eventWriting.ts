import { fromPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { audienceOf } from '../../policy/caller.ts'
import type { Writer } from '../../store/database.ts'
import { type CourseContext, checkLecturers } from '../courses/courseWriting.ts'
import { htmlColumn } from '../richText.ts'
import { checkPlaceAndLanguage } from '../school/schoolRules.ts'

type Values = Readonly<Record<string, unknown>>

const longestDays = 14
const dayMs = 86_400_000

/** What of a new event follows from the school, and the HTML of its text. */
export async function eventDefaults({ writer, school }: CourseContext, values: Values) {
  const { time_zone } = await writer.selectFrom('school').select('time_zone').where('id', '=', school.id).executeTakeFirstOrThrow()
  return { time_zone, ...htmlColumn('description', values) }
}

/** Whether the fields of an event fit together, and name what the school has. */
export async function checkEvent(values: Values, context: CourseContext, before?: { going_count: number }): Promise<ProblemDetail[]> {
  const own = [
    ...timeErrors(values),
    ...placeErrors(values),
    ...accessErrors(values),
    ...checkPlaceAndLanguage({ time_zone: values.time_zone }),
  ]
  const capacity = values.capacity as number | null | undefined
  if (before && typeof capacity === 'number' && capacity < before.going_count) {
    own.push({ ...fault('capacity', 'min', `${before.going_count} seats are taken`), meta: { min: before.going_count } })
  }
  return [...own, ...(await planErrors(values, context)), ...(await checkLecturers(values, context))]
}

/** @throws Problem invalid_state for an event that was called off: it stays as it was, and can be copied */
export function requireNotCanceled({ status }: { status: string }): void {
  if (status !== 'canceled') return
  throw new Problem('invalid_state', {
    description: 'An event that was canceled stays as it was. Duplicate it instead.',
    details: [
      { field: 'status', code: 'invalid_state', message: 'The event was canceled.', meta: { status, allowed: ['draft', 'published'] } },
    ],
  })
}

/** Who hosts an event, and which plans open it, where they were sent. A lecturer who makes an event hosts it. */
export async function keepEventParts(
  { writer, school, caller }: CourseContext,
  event: { id: string },
  values: Values,
  isNew = false,
): Promise<void> {
  const ids = (field: string, prefix: string): string[] | undefined =>
    (values[field] as string[] | undefined)?.flatMap((id) => fromPublicId(prefix, id) ?? [])
  const own = isNew && audienceOf(caller) === 'lecturer' && caller.lecturerId !== null ? [caller.lecturerId] : undefined
  const key = { schoolId: school.id, eventId: event.id }
  const hosts = ids('lecturer_ids', 'lec') ?? own
  if (hosts) await setHosts(writer, key, hosts)
  const plans = ids('plan_ids', 'mpl')
  if (plans) await setPlans(writer, key, [...new Set(plans)])
}

interface EventKey {
  schoolId: string
  eventId: string
}

async function setHosts(writer: Writer, { schoolId, eventId }: EventKey, lecturerIds: readonly string[]): Promise<void> {
  await writer.deleteFrom('event_host').where('school_id', '=', schoolId).where('event_id', '=', eventId).execute()
  if (lecturerIds.length === 0) return
  await writer
    .insertInto('event_host')
    .values(lecturerIds.map((lecturer_id, position) => ({ school_id: schoolId, event_id: eventId, lecturer_id, position })))
    .execute()
}

async function setPlans(writer: Writer, { schoolId, eventId }: EventKey, planIds: readonly string[]): Promise<void> {
  await writer.deleteFrom('event_plan').where('school_id', '=', schoolId).where('event_id', '=', eventId).execute()
  if (planIds.length === 0) return
  await writer
    .insertInto('event_plan')
    .values(planIds.map((plan_id) => ({ school_id: schoolId, event_id: eventId, plan_id })))
    .execute()
}

const fault = (field: string, code: string, message: string): ProblemDetail => ({ field, code, message: `${field}: ${message}` })

const timeOf = (value: unknown): number | undefined => (typeof value === 'string' ? Date.parse(value) : undefined)

function timeErrors(values: Values): ProblemDetail[] {
  const [starts, ends] = [timeOf(values.starts_at), timeOf(values.ends_at)]
  const [opens, closes] = [timeOf(values.rsvp_opens_at), timeOf(values.rsvp_closes_at)]
  const fieldErrors: ProblemDetail[] = []
  if (starts !== undefined && ends !== undefined) {
    if (ends <= starts) fieldErrors.push(fault('ends_at', 'min', 'must be later than starts_at'))
    else if (ends - starts > longestDays * dayMs)
      fieldErrors.push(fault('ends_at', 'max', `must be at most ${longestDays} days after starts_at`))
  }
  if (closes !== undefined && ends !== undefined && closes > ends)
    fieldErrors.push(fault('rsvp_closes_at', 'max', 'must not be later than ends_at'))
  if (opens !== undefined && closes !== undefined && closes <= opens) {
    fieldErrors.push(fault('rsvp_closes_at', 'min', 'must be later than rsvp_opens_at'))
  }
  return fieldErrors
}

const placeErrors = ({ kind, location }: Values): ProblemDetail[] =>
  kind !== 'online' && (location === null || location === undefined)
    ? [fault('location', 'required', 'an event that is not online takes place somewhere')]
    : []

function accessErrors({ access = 'public', plan_ids = [], course_id = null }: Values): ProblemDetail[] {
  const plans = plan_ids as string[]
  const fieldErrors: ProblemDetail[] = []
  if (access === 'plans' && plans.length === 0) fieldErrors.push(fault('plan_ids', 'required', 'say which plans open the event'))
  if (access !== 'plans' && plans.length > 0)
    fieldErrors.push(fault('plan_ids', 'not_allowed', 'only an event with the access plans has them'))
  if (access === 'course' && course_id === null) fieldErrors.push(fault('course_id', 'required', 'say which course opens the event'))
  return fieldErrors
}

async function planErrors({ plan_ids = [] }: Values, { writer, school }: CourseContext): Promise<ProblemDetail[]> {
  const ids = [...new Set((plan_ids as string[]).flatMap((id) => fromPublicId('mpl', id) ?? []))]
  if (ids.length === 0) return []
  const found = await writer.selectFrom('membership_plan').select('id').where('school_id', '=', school.id).where('id', 'in', ids).execute()
  return found.length < ids.length ? [fault('plan_ids', 'invalid_reference', 'names a plan that the school does not have')] : []
}
