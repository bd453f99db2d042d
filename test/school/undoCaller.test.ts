import { beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { fromPublicId, newId, toPublicId } from '../../src/base/ids.ts'
import { apiPath, type Operation, type OperationOf, undoOf } from '../../src/engine/declare/operations.ts'
import type { Resource } from '../../src/engine/declare/resource.ts'
import { membersOf, unwrapped } from '../../src/engine/declare/views.ts'
import type { DemoApi, Reply } from './demoApi.ts'
import { createSubjects, type Subjects } from './derived/createSubjects.ts'
import { actor, everyWrite } from './derived/everyWrite.ts'
import { validValue } from './derived/validValue.ts'
import { describeDemo } from './describeDemo.ts'

const lecturer = 'lecturer1@example.com'
const dryRun = { 'dry-run': 'true', 'if-match': '*' }

const undoable = everyWrite.filter((one) => undoOf(one) === true && one.roles.includes('lecturer') && one.roles.includes('staff'))
const updates = undoable.filter(({ kind }) => kind === 'update')
const transitions = undoable.filter((one): one is OperationOf<'action'> => one.kind === 'action' && one.rules.to !== undefined)

describeDemo('taking back, by somebody who may do less now, on $name', (api) => {
  let subjects: Subjects
  let me: { person_id: string; lecturer_id: string }
  beforeAll(async () => {
    subjects = createSubjects(api)
    const [staff] = await query<typeof me>(
      `SELECT person_id, lecturer_id FROM staff JOIN person ON person.id = staff.person_id WHERE staff.school_id = $1 AND person.email = '${lecturer}'`,
    )
    if (!staff) throw new Error('the demo school has no such lecturer')
    me = staff
    await query('UPDATE person SET is_student = true, is_member = true WHERE school_id = $1 AND id = $2', [me.person_id])
  })

  const query = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    api.database.sql.query<Row>(text, [api.school.id, ...values])

  /** Sets the role of the lecturer, and what the school lets lecturers do. */
  async function be(role: 'admin' | 'lecturer', may: boolean): Promise<void> {
    await query('UPDATE staff SET role = $2 WHERE school_id = $1 AND person_id = $3', [role, me.person_id])
    await query('UPDATE school SET settings = settings || $2::jsonb WHERE id = $1', [
      JSON.stringify({ lecturer_publishing: may, lecturer_pricing: may }),
    ])
  }

  const send = (path: string, options: Parameters<DemoApi['send']>[1]): Promise<Reply> => api.send(path, { as: lecturer, ...options })
  const undo = (activity: string, headers = {}): Promise<Reply> =>
    send(`${apiPath}/account/activity/${activity}/undo`, { body: {}, headers })

  async function latestActivity(): Promise<string> {
    const [entry] = await query<{ id: string }>('SELECT id FROM audit_log WHERE school_id = $1 ORDER BY id DESC LIMIT 1')
    return toPublicId('act', entry?.id ?? '')
  }

  /** Makes the row one of the lecturer. */
  async function own({ table }: Resource, id: string): Promise<void> {
    const stored = fromPublicId(id.slice(0, 3), id) ?? ''
    const teach = (course: string): Promise<object[]> =>
      query(
        `INSERT INTO course_lecturer (school_id, course_id, lecturer_id, position) SELECT $1, (${course}), $3, 9 ON CONFLICT DO NOTHING`,
        [stored, me.lecturer_id],
      )
    if (table === 'course') await teach('SELECT $2::uuid')
    if (['section', 'lesson', 'enrollment'].includes(table)) await teach(`SELECT course_id FROM ${table} WHERE id = $2`)
    if (table === 'post') await query('UPDATE post SET author_lecturer_id = $3 WHERE school_id = $1 AND id = $2', [stored, me.lecturer_id])
    if (table === 'event')
      await query('INSERT INTO event_host (school_id, event_id, lecturer_id, position) VALUES ($1, $2, $3, 9)', [stored, me.lecturer_id])
  }

  /** Returns the path of a row that the lecturer may change. */
  async function rowOf(operation: Operation): Promise<string> {
    const { idPrefix, table, path } = operation.resource
    const own_ = { person: me.person_id, lecturer: me.lecturer_id }[table]
    const id = own_ === undefined ? await subjects.newRow(operation.resource) : toPublicId(idPrefix, own_)
    await own(operation.resource, id)
    return `${apiPath}/${path}/${id}`
  }

  /** Returns values that the field may take, of which one is not the current one. */
  async function othersThan(resource: Resource, field: string, current: unknown): Promise<unknown[]> {
    const schema = (resource.inputs[field] ?? membersOf(resource.schema)[field]) as z.ZodType
    const refer = async (prefix: string): Promise<string | undefined> => {
      const other = everyWrite.find((one) => one.kind === 'create' && one.resource.idPrefix === prefix)
      return other && (await subjects.newRow(other.resource))
    }
    const options = 'options' in unwrapped(schema) ? (unwrapped(schema) as z.ZodEnum).options : []
    const numbers = typeof current === 'number' ? [current + 1] : [5]
    const price = { amount: 5000, currency: 'EUR' }
    const guessed = [
      await validValue(schema, refer).catch(() => undefined),
      !current,
      ...numbers,
      'Other',
      'other-text',
      ...options,
      price,
      {},
    ]
    return guessed.filter((one) => one !== undefined && JSON.stringify(one) !== JSON.stringify(current))
  }

  test('whatever refuses a change of a field to a lecturer, refuses to take a change of it back, and nothing else does', async () => {
    const wrong: unknown[] = []
    const refused: string[] = []
    const untried: string[] = []
    let tried = 0
    for (const operation of updates) {
      const { resource } = operation
      await be('admin', true)
      const path = await rowOf(operation)
      if (resource.table === 'course')
        await send(path, {
          method: 'PATCH',
          body: { access: 'paid', price: { amount: 900, currency: 'EUR' } },
          headers: { 'if-match': '*' },
        })
      const fields = [
        ...resource.writable.filter(({ isCreateOnly }) => !isCreateOnly).map(({ field }) => field),
        ...Object.keys(resource.currentInputs),
      ]
      for (const field of fields) {
        const row = (await api.get(path, { as: lecturer })).json
        const before = resource.currentInputs[field]?.(row) ?? row[field] ?? null
        const version = row.updated_at
        let isChanged = false
        for (const value of await othersThan(resource, field, before)) {
          const reply = await send(path, { method: 'PATCH', body: { [field]: value }, headers: { 'if-match': '*' } })
          isChanged = reply.status === 200 && reply.json.updated_at !== version
          if (isChanged) break
        }
        const activity = await latestActivity()
        const back = (): Promise<Reply> => send(path, { method: 'PATCH', body: { [field]: before }, headers: dryRun })
        const control = isChanged ? (await back()).status : 0
        const isOfRoles = resource.writable.some((one) => one.field === field && one.roles !== undefined)
        if (control !== 200 && isOfRoles) untried.push(`${resource.object}.${field}`)
        tried += control === 200 ? 1 : 0
        if (!isChanged) continue
        await be('lecturer', false)
        const [changedBack, takenBack] = [await back(), await undo(activity, dryRun)]
        await be('admin', true)
        if (control === 200) {
          if (changedBack.status !== 200) refused.push(`${resource.object}.${field}`)
          if (takenBack.status !== (changedBack.status === 200 ? 200 : 403))
            wrong.push([resource.object, field, changedBack.text, takenBack.text])
        }
        const asStaff = await undo(activity)
        if (asStaff.status !== 200) wrong.push([resource.object, field, 'as staff', asStaff.text])
      }
    }
    expect(wrong).toEqual([])
    // The lecturer has a login, so nobody else changes the address.
    expect(untried).toEqual(['student.email', 'member.email'])
    expect(tried).toBeGreaterThan(60)
    expect(refused).toEqual(
      expect.arrayContaining([
        'course.price',
        'course.position',
        'course.lecturer_ids',
        'post.pinned',
        'lecturer.slug',
        'lecturer.featured',
        'event.price',
      ]),
    )
  })

  test('whatever refuses an action to a lecturer, refuses to take back what has its effect, and nothing else does', async () => {
    const wrong: unknown[] = []
    const refused: string[] = []
    for (const operation of transitions) {
      const { resource } = operation
      await be('lecturer', true)
      const id = await subjects.subjectOf(operation)
      await own(resource, id)
      const at = `${apiPath}/${resource.path}/${id}`
      const statusOf = async (): Promise<string> => String((await api.get(at, { as: actor })).json.status)
      const from = await statusOf()
      const done = await send(subjects.addressOf(operation, id), { method: operation.method, body: {}, headers: { 'if-match': '*' } })
      if (done.status >= 300) wrong.push([operation.id, done.text])
      const activity = await latestActivity()
      const to = await statusOf()
      const inverse = everyWrite.filter(
        (one) =>
          one.resource === resource && one.kind === 'action' && [one.rules.to].flat().includes(from) && (one.rules.from ?? []).includes(to),
      )
      await be('lecturer', false)
      const isRefused = async (one: Operation): Promise<boolean> =>
        (await send(subjects.addressOf(one, id), { method: one.method, body: {}, headers: dryRun })).status === 403
      const refusals = await Promise.all(inverse.map(isRefused))
      const mayNot = (await isRefused(operation)) || (inverse.length > 0 && refusals.every(Boolean))
      if (mayNot) refused.push(operation.id)
      const undone = await undo(activity)
      if (undone.status !== (mayNot ? 403 : 200)) wrong.push([operation.id, mayNot, undone.text])
    }
    expect(wrong).toEqual([])
    expect(refused).toEqual(
      expect.arrayContaining(['publishCourse', 'unpublishCourse', 'archiveCourse', 'unpublishPost', 'archivePost', 'unpublishEvent']),
    )
  })

  test('a lecturer does not publish by taking back, after the school has reserved that to its staff', async () => {
    await be('lecturer', true)
    const publish = everyWrite.find(({ id }) => id === 'unpublishCourse') as Operation
    const course = await subjects.subjectOf(publish)
    await own(publish.resource, course)
    const path = `${apiPath}/courses/${course}`
    expect((await send(`${path}/unpublish`, {})).status).toBe(200)
    const activity = await latestActivity()
    await be('lecturer', false)
    expect((await send(`${path}/publish`, {})).status).toBe(403)
    const undone = await undo(activity)
    expect([undone.status, undone.json.error, undone.json.error_description]).toEqual([
      403,
      'access_denied',
      'Lecturers cannot publish courses in this school. Ask the staff.',
    ])
    expect((await api.get(path)).status).toBe(404)
    expect((await undo(activity, { 'x-test-client': 'other' })).status).toBe(403)
    expect((await api.send(`${apiPath}/account/activity/${activity}/undo`, { as: actor, body: {} })).status).toBe(200)
    expect((await api.get(path)).json.status).toBe('published')
  })

  test('the address of a person who signs in with it now does not come back, not even for the staff', async () => {
    const student = await api.send(`${apiPath}/students`, { as: actor, body: { name: 'Kit Reeddale', email: `${newId()}@example.org` } })
    const path = `${apiPath}/students/${student.json.id}`
    const email = `${newId()}@example.org`
    await api.send(path, { method: 'PATCH', as: actor, body: { email } })
    const activity = await latestActivity()
    const account = newId()
    await query(`INSERT INTO account (school_id, id, email, name) VALUES ($1, $2, $3, 'Kit')`, [account, email])
    await query('UPDATE person SET account_id = $2 WHERE school_id = $1 AND email = $3', [account, email])
    const undone = await api.send(`${apiPath}/account/activity/${activity}/undo`, { as: actor, body: {} })
    expect([undone.status, undone.json.error]).toEqual([403, 'access_denied'])
    expect(undone.json.details).toEqual([expect.objectContaining({ field: 'email', code: 'not_allowed' })])
    expect((await api.get(path, { as: actor })).json.email).toBe(email)
  })
})
