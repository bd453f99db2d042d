import type { z } from 'zod'
import { exampleBody, exampleObject } from '../../src/framework/declare/exampleOf.ts'
import { apiPath, type Operation } from '../../src/framework/declare/operations.ts'
import type { Resource } from '../../src/framework/declare/resource.ts'
import { writeForm } from '../../src/framework/declare/writeForm.ts'
import { fromPublicId, newId, toPublicId } from '../../src/lib/ids.ts'
import type { PersonCaller } from '../../src/policy/caller.ts'
import { courses } from '../../src/resources/courses.ts'
import { events } from '../../src/resources/events.ts'
import { operationsIn, resources } from '../../src/resources/index.ts'
import { lecturers } from '../../src/resources/lecturers.ts'
import { members } from '../../src/resources/members.ts'
import { students } from '../../src/resources/students.ts'
import { newPeople } from '../support/community.ts'
import { newFile } from '../support/files.ts'
import { newEnrollments } from '../support/learners.ts'
import { newPlan as newPlanRow } from '../support/memberships.ts'
import { newAccount } from '../support/rows.ts'
import { newCoupon, newProduct, newPerson as newStudent } from '../support/shop.ts'
import type { DemoApi } from './demoApi.ts'

/** The person who sends the requests: sees every row of the school, and may do everything. */
export const actor = 'owner@example.com'

/** Returns the person who sends the request: an admin for requests about themselves, because the only owner cannot leave the school. */
export const actorOf = ({ id, resource }: Operation): string =>
  resource.name === 'account' || id === 'leaveSchool' ? 'admin1@example.com' : actor

/** Operations that write. Reads that take a body are not among them. */
export const everyWrite = operationsIn(resources).filter(
  ({ method, kind }) => method !== 'GET' && kind !== 'read' && kind !== 'collectionRead',
)

/** The parts of a request. */
export interface Sending {
  headers?: Record<string, string>
  body?: unknown
}

type Make = (api: DemoApi) => Promise<string>

/**
 * Functions that create a row, by the name of the resource, if its create operation is not enough. Each returns a public id.
 * The row is visible to staff only.
 */
const made: Record<string, Make> = {
  digital_products: async (api) => await newShopItem(api),
  enrollments: async (api) => {
    const course = await newCourse(api)
    await makePublishable(api, course)
    const [lesson] = (await tree(api, course)).flatMap(({ lessons }) => lessons ?? [])
    const body = { course_id: course, student_id: await create(api, students), override: true }
    const { json } = await api.send(`${apiPath}/enrollments`, { as: actor, body })
    parts.set(json.id as string, { lesson_id: lesson?.id as string })
    return json.id as string
  },
  curriculum: (api) => create(api, courses),
  membership_plans: async (api) => await newPlan(api),
  subscriptions: async (api) => {
    const reply = await api.send(`${apiPath}/subscriptions`, { as: actor, body: await newSubscription(api) })
    return String(reply.json.id)
  },
  files: async ({ database, school }) => toPublicId('fil', await newFile(database.sql, school.id, { visibility: 'private' })),
}

/** The operations to run on the row first, by the id of the operation under test; by default those that lead to its state. */
const before: Record<string, readonly string[]> = {
  unpublishDigitalProduct: ['publishDigitalProduct'],
  archiveDigitalProduct: ['publishDigitalProduct'],
  leaveSchool: [],
  resumeEnrollment: ['suspendEnrollment'],
  resetProgress: ['completeEnrollment'],
  issueCertificate: ['completeEnrollment'],
  archivePlan: ['activatePlan'],
  resumeSubscription: ['pauseSubscription'],
  cancelPlanChange: ['changePlan'],
  resetAppearance: ['updateAppearance'],
  resendEmailChange: ['changeEmail'],
  restoreAccount: ['deleteAccount'],
  unlinkLecturer: ['linkLecturer'],
  unpublishPage: ['publishPage'],
  archivePage: ['publishPage'],
  discardPageDraft: ['publishPage', 'updatePage'],
  restorePageRevision: ['updatePage'],
  resumeCoupon: ['pauseCoupon'],
  archivePost: ['publishPost'],
  restorePost: ['publishPost', 'archivePost'],
  cancelEvent: ['publishEvent'],
  putMyRsvp: ['publishEvent'],
  createRsvp: ['publishEvent'],
  updateRsvp: ['publishEvent', 'createRsvp'],
  recordAttendance: ['publishEvent', 'createRsvp'],
}

/** Bodies by the id of the operation, if the examples of the schema refer to missing rows or do not change the row. */
const bodies: Record<string, (api: DemoApi, id: string) => Promise<object>> = {
  setCourseLecturers: async (api) => ({ lecturer_ids: [toPublicId('lec', await anyId(api, 'lecturer'))] }),
  setCoursePositions: async (api) => ({ course_ids: [await create(api, courses)] }),
  setCurriculumOrder: async (api, id) => {
    const [first, second] = [await addSection(api, id), await addSection(api, id)]
    const rest = await tree(api, id)
    const others = rest.filter(({ id }) => id !== first && id !== second)
    return { sections: [second, first, ...others.map(({ id }) => id)].map((id) => ({ id, lesson_ids: [] })) }
  },
  importCurriculum: async () => ({ sections: [{ external_id: newId(), title: 'First', lessons: [] }] }),
  linkLecturer: async (api) => ({ email: await newPerson(api) }),
  createCoupon: async () => ({ code: `C${newId()}`, discount: { type: 'percent', percent_off: 25 } }),
  redeemCoupon: async (api) => await redemption(api),
  createSubscription: async (api) => await newSubscription(api),
  updateSubscription: async () => ({ metadata: { desk: 'by the window' } }),
  markSubscriptionPaid: async ({ database, school }, id) => {
    await database.sql.query(
      `UPDATE subscription SET status = 'past_due', past_due_since = now(), current_period_start = now() - interval '31 days', current_period_end = now()
        WHERE school_id = $1 AND id = $2 AND version = 1`,
      [school.id, fromPublicId('sub', id)],
    )
    return { provider: 'bank_transfer' }
  },
  changePlan: async (api) => ({ price_id: (await newSubscription(api)).price_id }),
  setPlanPositions: async (api) => ({ plan_ids: [await newPlan(api)] }),
  setLecturerPositions: async (api) => ({ lecturer_ids: [await create(api, lecturers)] }),
  createEnrollment: async (api) => ({ course_id: await newCourse(api), student_id: await create(api, students), override: true }),
  bulkEnrollments: async (api) => ({
    items: [{ course_id: await newCourse(api), student_id: await create(api, students) }],
    override: true,
  }),
  putLessonProgress: async () => ({ completed: true, position_seconds: 95 }),
  createQuizAttempt: async (api, id) => {
    await makeQuiz(api, id)
    return { answers: [{ question_id: 'q1', choice_ids: ['c1'] }] }
  },
  createStudent: async () => ({ email: `${newId()}@example.org`, name: 'Fenn Goldacre' }),
  bulkStudents: async () => ({ items: [{ email: `${newId()}@example.org`, name: 'Fenn Goldacre' }] }),
  createMember: async () => ({ email: `${newId()}@example.org`, display_name: 'Fenn' }),
  bulkMembers: async () => ({ items: [{ email: `${newId()}@example.org`, display_name: 'Fenn' }] }),
  labelMembers: async (api) => ({ member_ids: [await create(api, members)], add: ['founder'] }),
  updateMember: async () => ({ headline: 'Throws bowls' }),
  updateStudent: async () => ({ name: 'Mabel Thistledown' }),
  inviteStaff: async () => ({ email: `${newId()}@example.org`, role: 'lecturer' }),
  updateStaff: async () => ({ role: 'admin' }),
  updateAppearance: async () => ({ corner_radius: 'large' }),
  unschedulePost: async (api, id) => {
    await api.database.sql.query(`UPDATE post SET status = 'scheduled', scheduled_for = now() + interval '1 day' WHERE id = $1`, [
      fromPublicId('pst', id),
    ])
    return {}
  },
  createEvent: async () => ({ ...exampleBody(events, true), join_url: 'https://meet.school.example/kiln' }),
  addProductFile: async (api) => ({ file_id: await shopFile(api), title: 'Second file' }),
  orderProductFiles: async (_api, id) => ({ file_ids: [parts.get(id)?.second, parts.get(id)?.file] }),
  updateProductFile: async () => ({ title: 'Another title' }),
  grantProduct: async ({ database, school }) => ({
    member_id: toPublicId('mbr', (await newPeople(database.sql, school.id, 1))[0]?.id as string),
  }),
  createRsvp: async ({ database, school }) => ({
    member_id: toPublicId('mbr', (await newPeople(database.sql, school.id, 1))[0]?.id as string),
  }),
  updateRsvp: async () => ({ status: 'canceled' }),
  recordAttendance: async (api, id) => {
    await api.database.sql.query(`UPDATE event SET starts_at = now() - interval '1 hour' WHERE id = $1`, [fromPublicId('evt', id)])
    return { attended: [await rsvpTo(api, id)] }
  },
}

/** Returns the resource of the row in the path. For a nested create operation this is the parent. */
export const resourceOnPath = (operation: Operation): Resource =>
  (operation.kind === 'create' && operation.parent?.resource) || operation.resource

export const namesRow = ({ path, resource }: Operation): boolean => /\{id(_or_\w+)?\}/.test(path) && !resource.isSingleton

/** Ids of parts of a row that addresses name, by the row's id and the name in the path. */
const parts = new Map<string, Readonly<Record<string, string>>>()

/** Returns the path with this id. Parts of the row have the ids of its creation; revisions and the like have the first number. */
export const addressOf = (operation: Operation, id = ''): string => {
  const { path, parameters } = operation
  const schemaOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema
  return path
    .replace(/\{id(_or_\w+)?\}/, namesRow(operation) ? id : String(schemaOf('id')?.meta()?.example))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const idPrefix = schemaOf(name)?.meta()?.idPrefix
      return parts.get(id)?.[name] ?? (idPrefix === undefined ? '1' : toPublicId(idPrefix, newId()))
    })
}

/** Operations that end a sign-in. The tests with a sign-in cover their effects. */
export const provedWithSignIn: readonly string[] = ['revokeAuthorization', 'endSession']

/** A fresh row in the state that the operation leads out of. */
export async function subjectOf(api: DemoApi, operation: Operation): Promise<string> {
  const id = await freshRow(api, operation)
  if (operation.id === 'publishCourse') await makePublishable(api, id)
  for (const step of before[operation.id] ?? stepsTo(operation)) {
    const earlier = everyWrite.find((other) => other.id === step) as Operation
    if (step === 'publishCourse') await makePublishable(api, id)
    const sending = await sendingFor(api, earlier, id)
    const reply = await api.send(addressOf(earlier, id), withMatch({ ...sending, method: earlier.method, as: actorOf(earlier) }))
    if (reply.status >= 300) throw new Error(`${step} before ${operation.id}: ${reply.status} ${reply.text}`)
  }
  if (operation.id === 'revokeProductGrant') {
    const { json } = await api.send(`${apiPath}/digital_products/${id}/grants`, { as: actor, body: await bodies.grantProduct?.(api, id) })
    parts.set(id, { grant: json.id as string })
  }
  if (operation.id === 'updateRsvp') parts.set(id, { rsvp_id: await rsvpTo(api, id) })
  return id
}

/** Returns a body that changes the row, from the examples of the schema. */
export async function sendingFor(api: DemoApi, operation: Operation, id: string): Promise<Sending> {
  const body = await bodies[operation.id]?.(api, id)
  if (body) return { body }
  const { kind, resource } = operation
  switch (kind) {
    case 'create':
      return operation.rules.takes ? form(exampleBody(resource, true)) : { body: exampleBody(resource, true) }
    case 'update':
    case 'replace': {
      const { json } = await api.get(`${apiPath}/${resource.path}${id && `/${id}`}`, { as: actorOf(operation) })
      return { body: { ...(kind === 'replace' && writableOf(resource, json)), ...changeOf(resource, json) } }
    }
    case 'remove':
      return {}
    default: {
      const input = inputOf(operation)
      return { body: input ? exampleObject(input) : {} }
    }
  }
}

/** Returns the input schema of an action. */
export const inputOf = (operation: Operation): z.ZodObject | undefined =>
  operation.kind === 'action' || operation.kind === 'collection' ? operation.rules.input : undefined

/** The id of a row of another school. */
export async function foreignId(api: DemoApi, resource: Resource): Promise<string> {
  const [row] = await api.database.sql.query<{ id: string }>(`SELECT id FROM ${resource.table} WHERE school_id <> $1 LIMIT 1`, [
    api.school.id,
  ])
  if (!row) throw new Error(`No other school has a row of ${resource.name}: add one to the demo's data, or where this test begins.`)
  return toPublicId(resource.idPrefix, row.id)
}

/** A new row for the address to name, in its first state. */
export async function freshRow(api: DemoApi, operation: Operation): Promise<string> {
  return namesRow(operation) ? await newRow(api, resourceOnPath(operation)) : ''
}

/** Creates a row that only staff can see, and returns its id. */
export async function newRow(api: DemoApi, resource: Resource): Promise<string> {
  return await (made[resource.name]?.(api) ?? create(api, resource))
}

async function create(api: DemoApi, resource: Resource): Promise<string> {
  const creation = everyWrite.find((one) => one.kind === 'create' && one.resource.name === resource.name)
  if (!creation) throw new Error(`Nothing makes a row of ${resource.name}: say how in the table "made" of test/api/subjects.ts.`)
  const parent = await subjectOf(api, creation)
  const reply = await api.send(addressOf(creation, parent), { as: actor, ...(await sendingFor(api, creation, parent)) })
  if (reply.status !== 201) throw new Error(`${creation.id}: ${reply.status} ${reply.text}`)
  return reply.json.id as string
}

/** Whatever leads to the first state that an action leads out of; a new row is in the first state of its kind. */
function stepsTo({ resource, ...operation }: Operation): string[] {
  if (operation.kind !== 'action' || !operation.rules.from || operation.rules.from.includes('draft')) return []
  const earlier = everyWrite.find(
    (other) => other.kind === 'action' && other.resource === resource && other.rules.to === operation.rules.from?.[0],
  )
  return earlier ? [earlier.id] : []
}

/** Adds the lecturer and the published lesson that the catalogue requires. */
async function makePublishable(api: DemoApi, id: string): Promise<void> {
  const send = async (path: string, method: string, body: object) =>
    (await api.send(`${apiPath}/${path}`, { as: actor, method, body })).json.id as string
  await send(`courses/${id}/lecturers`, 'PUT', { lecturer_ids: [toPublicId('lec', await anyId(api, 'lecturer'))] })
  const section = await send(`courses/${id}/sections`, 'POST', { title: 'First' })
  const lesson = await send(`sections/${section}/lessons`, 'POST', { title: 'First', kind: 'text' })
  await send(`lessons/${lesson}/publish`, 'POST', {})
}

/** Creates a coupon of 100 %, an item that it applies to, and a person. */
async function redemption({ database: { sql }, school: { id: schoolId } }: DemoApi): Promise<object> {
  const code = `C${newId()}`.toUpperCase()
  await newCoupon(sql, schoolId, { code })
  const item = { type: 'digital_product', id: toPublicId('dgp', await newProduct(sql, schoolId)) }
  return { code, item, student_id: toPublicId('std', await newStudent(sql, schoolId)) }
}

/** Returns the input of a subscription for a new person, to a new plan. */
async function newSubscription({ database, school }: DemoApi) {
  const { planId, priceId } = await newPlanRow(database.sql, school.id)
  const personId = await newStudent(database.sql, school.id)
  return { member_id: toPublicId('mbr', personId), plan_id: toPublicId('mpl', planId), price_id: toPublicId('prc', priceId) }
}

/** Creates a draft of a product with two files, and a person with access to it. */
async function newShopItem(api: DemoApi): Promise<string> {
  const send = (path: string, body: object) => api.send(`${apiPath}/digital_products${path}`, { as: actor, body })
  const id = String((await send('', { title: 'Kiln Log', kind: 'template', access: 'free' })).json.id)
  await send(`/${id}/files`, { file_id: await shopFile(api), title: 'First' })
  const { json } = await send(`/${id}/files`, { file_id: await shopFile(api), title: 'Second' })
  const [file, second] = (json.files as { id: string }[]).map((one) => one.id) as [string, string]
  parts.set(id, { file, second })
  return id
}

const shopFile = async ({ database, school }: DemoApi): Promise<string> =>
  toPublicId('fil', await newFile(database.sql, school.id, { visibility: 'private', purpose: 'digital_product' }))

/** A draft of a plan with two prices, so that either can go. */
async function newPlan(api: DemoApi): Promise<string> {
  const send = (path: string, body: object) => api.send(`${apiPath}/membership_plans${path}`, { as: actor, body })
  const id = String((await send('', { name: 'Workbench' })).json.id)
  const amount = { amount: 1200, currency: 'EUR' }
  await send(`/${id}/prices`, { interval: 'month', amount })
  const { json } = await send(`/${id}/prices`, { interval: 'year', amount })
  parts.set(id, { price_id: (json.prices as { id: string }[])[0]?.id as string })
  return id
}

/** Creates a course with a certificate. */
const newCourse = async (api: DemoApi): Promise<string> =>
  (await api.send(`${apiPath}/courses`, { as: actor, body: { title: 'Basket weaving', certificate_enabled: true } })).json.id as string

/** Turns a lesson into a quiz that the person who sends the requests can open. */
async function makeQuiz(api: DemoApi, id: string): Promise<void> {
  const { database, school } = api
  const question = { id: 'q1', kind: 'single', prompt: 'Which?', points: 1, accepted_answers: [], explanation: null }
  const choices = [
    { id: 'c1', text: 'This', correct: true },
    { id: 'c2', text: 'That', correct: false },
  ]
  const quiz = { pass_percent: 70, max_attempts: null, questions: [{ ...question, choices }] }
  const [lesson] = await database.sql.query<{ course_id: string }>(
    `UPDATE lesson SET kind = 'quiz', status = 'published', quiz = $3 WHERE school_id = $1 AND id = $2 RETURNING course_id`,
    [school.id, fromPublicId('les', id), JSON.stringify(quiz)],
  )
  const { personId } = (await api.caller(actor)) as PersonCaller
  await newEnrollments(database.sql, school.id, [personId as string], [lesson?.course_id as string])
}

const addSection = async (api: DemoApi, course: string): Promise<string> =>
  (await api.send(`${apiPath}/courses/${course}/sections`, { as: actor, body: { title: 'Another' } })).json.id as string

const tree = async (api: DemoApi, course: string): Promise<{ id: string; lessons?: { id: string }[] }[]> =>
  (await api.get(`${apiPath}/courses/${course}/curriculum`, { as: actor })).json.sections as { id: string; lessons?: { id: string }[] }[]

/** The first answer to an event. */
async function rsvpTo({ database }: DemoApi, event: string): Promise<string> {
  const [row] = await database.sql.query<{ id: string }>('SELECT id FROM rsvp WHERE event_id = $1 ORDER BY id LIMIT 1', [
    fromPublicId('evt', event),
  ])
  return toPublicId('rsv', row?.id as string)
}

async function newPerson({ database, school }: DemoApi): Promise<string> {
  const id = await newAccount(database.sql, school.id)
  const [row] = await database.sql.query<{ email: string }>('SELECT email FROM account WHERE school_id = $1 AND id = $2', [school.id, id])
  return row?.email as string
}

async function anyId({ database, school }: DemoApi, table: string): Promise<string> {
  const [row] = await database.sql.query<{ id: string }>(`SELECT id FROM ${table} WHERE school_id = $1 LIMIT 1`, [school.id])
  return row?.id as string
}

const writableOf = ({ writable }: Resource, row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(writable.filter(({ field }) => field in row).map(({ field }) => [field, row[field]]))

/** Returns the first field that can get another value. */
function changeOf(resource: Resource, row: Record<string, unknown>): Record<string, unknown> {
  for (const { field } of resource.writable.filter(({ isCreateOnly }) => !isCreateOnly)) {
    const schema = resource.schema.shape[field] as z.ZodType
    const values = [schema.meta()?.example, `${row[field]} too`]
    const value = values.find(
      (one) => one !== undefined && JSON.stringify(one) !== JSON.stringify(row[field]) && writeForm(schema, 'staff').safeParse(one).success,
    )
    if (value !== undefined) return { [field]: value }
  }
  throw new Error(`No field of ${resource.name} can be changed to its example: add a body to test/api/subjects.ts.`)
}

const boundary = 'a-boundary-that-stands-in-no-text'

/** A form with a small picture. */
function form(fields: Record<string, unknown>): Sending {
  const part = (name: string, value: string, more = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
  const { file, ...others } = fields
  const picture = part('file', 'GIF89a', `; filename="${file}"\r\nContent-Type: image/gif`)
  const body = `${Object.entries(others)
    .map(([name, value]) => part(name, String(value)))
    .join('')}${picture}--${boundary}--\r\n`
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}

/** Says that any version is meant. */
export const withMatch = <Options extends Sending>(options: Options, tag = '*'): Options => ({
  ...options,
  headers: { ...options.headers, 'if-match': tag },
})
