import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import { sweepUndo } from '../../src/database/undo/records.ts'
import { undoOf } from '../../src/engine/declare/operations.ts'
import { newComment } from '../support/community.ts'
import { createSubjects, type Subjects } from './derived/createSubjects.ts'
import { actor as as, everyWrite, withMatch, writeNamed } from './derived/everyWrite.ts'
import { describeDemoOn } from './describeDemo.ts'
import { checkLaw } from './laws.ts'
import { learner, learningIn, storedId } from './learning.ts'

/** Operations with the ones that take them back, and the columns that differ afterwards, as documented. */
const pairs: readonly [does: string, undoes: string, except?: readonly string[]][] = [
  ['archiveCourse', 'restoreCourse'],
  ['unpublishCourse', 'publishCourse'],
  ['publishCourse', 'unpublishCourse', ['course.published_at']],
  ['unpublishLesson', 'publishLesson'],
  ['publishLesson', 'unpublishLesson'],
  ['suspendStudent', 'reactivateStudent'],
  // The reason is that of the resumption.
  ['suspendEnrollment', 'resumeEnrollment', ['enrollment.status_reason']],
  ['blockMember', 'unblockMember'],
  ['unpublishEvent', 'publishEvent'],
  ['publishEvent', 'unpublishEvent', ['event.published_at']],
  ['archivePlan', 'restorePlan'],
  ['pauseCoupon', 'resumeCoupon'],
  ['archiveCoupon', 'restoreCoupon'],
  ['publishPost', 'unpublishPost'],
  // Texts are restored as drafts, so that somebody reads them before they are published again.
  ['archivePost', 'restorePost', ['post.status', 'post.published_at', 'post.pinned']],
  ['archivePage', 'restorePage', ['page.status', 'page.live']],
  ['unpublishPage', 'publishPage'],
  ['unpublishPost', 'publishPost', ['post.published_at']],
  ['archiveDigitalProduct', 'restoreDigitalProduct'],
  ['unpublishDigitalProduct', 'publishDigitalProduct'],
  ['hideLecturer', 'showLecturer'],
  ['showLecturer', 'hideLecturer'],
  ['archiveLecturer', 'restoreLecturer'],
]

/** Columns in which the rows differ before an operation, or before all of the table, as SQL writes them. */
const more: Readonly<Record<string, readonly string[]>> = {
  course: ['capacity = 3', `metadata = '{"desk": "window"}'`],
  coupon: ['max_redemptions = 5', `ends_at = now() + interval '9 days'`, 'redemptions_count = 2'],
  post: ['comments_enabled = false'],
  event: ['capacity = 1'],
  archiveLecturer: [`status = 'hidden'`],
  membership_plan: ['max_members = 4'],
  digital_product: ['download_limit = 3'],
}

describeDemoOn('last', 'the inverse of an operation, on $name', (api) => {
  let subjects: Subjects
  beforeAll(() => {
    subjects = createSubjects(api)
  })

  const query = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    api.database.sql.query<Row>(text, [api.school.id, ...values])

  async function send(operationId: string, id: string, { body }: { body?: unknown } = {}): Promise<void> {
    const operation = writeNamed(operationId)
    const sending = body === undefined ? await subjects.sendingFor(operation, id) : { body }
    const reply = await api.send(subjects.addressOf(operation, id), withMatch({ ...sending, method: operation.method, as }))
    expect([operationId, reply.status, reply.status < 300 ? '' : reply.text]).toEqual([operationId, expect.any(Number), ''])
  }

  test.each(pairs)('%s, %s: everything is as before', async (does, undoes, except = []) => {
    const operation = writeNamed(does)
    const { table } = operation.resource
    await checkLaw(
      api,
      {
        state: fc.subarray([...(more[does] ?? more[table] ?? [])]),
        async build(columns) {
          const id = await subjects.subjectOf(operation)
          if (columns.length > 0)
            await query(`UPDATE "${table}" SET ${columns.join(', ')} WHERE school_id = $1 AND id = $2`, [storedId(id)])
          return { id }
        },
        does: ({ id }) => send(does, id),
        undoes: ({ id }) => send(undoes, id),
        except,
      },
      4,
    )
  })

  /** Takes the latest request back as if it had been sent some days ago. */
  async function takeBack(days: number): Promise<void> {
    const [entry] = await query<{ id: string }>('SELECT id FROM audit_log WHERE school_id = $1 ORDER BY id DESC LIMIT 1')
    await query(
      `UPDATE undo_record SET created_at = created_at - make_interval(days => $3), expires_at = expires_at - make_interval(days => $3)
        WHERE school_id = $1 AND id = $2`,
      [entry?.id, days],
    )
    await query(`UPDATE audit_log SET at = at - make_interval(days => $3) WHERE school_id = $1 AND id = $2`, [entry?.id, days])
    await sweepUndo(api.database.kysely, 1000)
    const reply = await api.send(`/api/v1/account/activity/${toPublicId('act', entry?.id ?? '')}/undo`, { as, body: {} })
    expect([reply.status, reply.json]).toEqual([200, expect.objectContaining({ kept: [], replaced: [], failed: [] })])
  }

  const removals = everyWrite.filter((one) => one.kind === 'remove' && undoOf(one) === true)
  test('rows of most kinds can be deleted and taken back', () => expect(removals.length).toBeGreaterThan(6))

  test.each(removals.map(({ id }) => id))('%s, taken back on the same day or on day 29: everything is as before', async (removal) => {
    const operation = writeNamed(removal)
    const { table } = operation.resource
    await checkLaw(
      api,
      {
        state: fc.record({ days: fc.constantFrom(0, 29), columns: fc.subarray([...(more[table] ?? [])]), hasComments: fc.boolean() }),
        async build({ days, columns, hasComments }) {
          const id = await subjects.subjectOf(operation)
          const key = storedId(id)
          if (columns.length > 0) await query(`UPDATE "${table}" SET ${columns.join(', ')} WHERE school_id = $1 AND id = $2`, [key])
          if (hasComments && (table === 'post' || table === 'event')) {
            const thread = await newComment(api.database.sql, api.school.id, { type: table, id: key }, { replies: 1 })
            for (const status of ['published', 'hidden'])
              await newComment(api.database.sql, api.school.id, { type: table, id: key }, { status, parentId: thread })
          }
          return { id, more: { days: String(days) } }
        },
        does: ({ id }) => send(removal, id),
        undoes: (one) => takeBack(Number(one.more?.days)),
      },
      4,
    )
  })

  const enrolled = fc.record({
    completed: fc.subarray([0, 1]),
    opened: fc.boolean(),
    suspended: fc.boolean(),
    days: fc.constantFrom(0, 29),
    isFull: fc.boolean(),
  })
  async function newEnrollment({
    completed,
    opened,
    suspended,
    days,
    isFull,
  }: typeof enrolled extends fc.Arbitrary<infer State> ? State : never) {
    const { newCourse, enroll, put, post } = learningIn(api)
    const course = await newCourse({ lessons: 3 })
    const enrollment = await enroll(course)
    for (const lesson of completed) await put(enrollment, String(course.lessons[lesson]), { completed: true })
    if (opened) await put(enrollment, String(course.lessons[2]), { position_seconds: 40 })
    if (isFull) await query('UPDATE course SET capacity = 1 WHERE school_id = $1 AND id = $2', [storedId(course.id)])
    if (suspended) await post(`enrollments/${enrollment.id}/suspend`, { reason: 'Unpaid fee.' })
    const [person] = await query<{ id: string }>('SELECT id FROM person WHERE school_id = $1 AND email = $2', [learner])
    return {
      id: enrollment.id,
      more: {
        days: String(days),
        course: course.id,
        first: String(course.lessons[0]),
        last: String(course.lessons[2]),
        student: toPublicId('std', person?.id ?? ''),
      },
    }
  }
  const request = async (method: string, path: string, body?: object): Promise<void> => {
    const reply = await api.send(`/api/v1/${path}`, { as, method, body, headers: { 'if-match': '*' } })
    expect([path, reply.status, reply.status < 300 ? '' : reply.text]).toEqual([path, expect.any(Number), ''])
  }

  test.each([
    ['cancel', {}],
    ['suspend', {}],
    ['reset_progress', {}],
    ['complete', {}],
  ] as const)('%s of an enrolment, taken back on the same day or on day 29: everything is as before', (action, body) =>
    checkLaw(
      api,
      {
        state: enrolled.map((state) => ({
          ...state,
          suspended: state.suspended && action === 'cancel',
          completed: action === 'reset_progress' ? [0] : state.completed,
        })),
        build: newEnrollment,
        does: ({ id }) => request('POST', `enrollments/${id}/${action}`, body),
        undoes: (one) => takeBack(Number(one.more?.days)),
      },
      6,
    ),
  )

  test('delete a lesson, take it back on the same day or on day 29: the progress of everybody is as before', () =>
    checkLaw(
      api,
      {
        state: enrolled,
        build: newEnrollment,
        does: ({ more }) => request('DELETE', `lessons/${more?.last}`),
        undoes: (one) => takeBack(Number(one.more?.days)),
      },
      6,
    ))

  test('cancel an enrolment, enrol again: the progress and the counts are as before', () =>
    checkLaw(
      api,
      {
        state: enrolled.map((state) => ({ ...state, suspended: false })),
        build: newEnrollment,
        does: ({ id }) => request('POST', `enrollments/${id}/cancel`, {}),
        undoes: ({ more }) => request('POST', 'enrollments', { course_id: more?.course, student_id: more?.student }),
        // It is a new enrolment of the person, opened now.
        except: ['enrollment.starts_at', 'enrollment.source'],
      },
      6,
    ))

  test('mark a lesson as completed, mark it as not completed: the progress is as before', () =>
    checkLaw(
      api,
      {
        state: enrolled.map((state) => ({
          ...state,
          suspended: false,
          opened: true,
          completed: state.completed.filter((lesson) => lesson === 0),
        })),
        build: newEnrollment,
        does: ({ id, more }) => request('PUT', `enrollments/${id}/progress/${more?.last}`, { completed: true }),
        undoes: ({ id, more }) => request('PUT', `enrollments/${id}/progress/${more?.last}`, { completed: false }),
        except: ['enrollment.last_activity_at', 'enrollment.last_lesson_id'],
      },
      6,
    ))

  test('reserve a seat again after giving it up: the seats are as before', () =>
    checkLaw(
      api,
      {
        state: fc.option(fc.integer({ min: 1, max: 2 })),
        async build(capacity) {
          const id = await subjects.newRow(writeNamed('createEvent').resource)
          await query(
            `UPDATE event SET capacity = $3, status = 'published', access = 'public', published_at = now(), starts_at = now() + interval '9 days',
                    ends_at = now() + interval '10 days' WHERE school_id = $1 AND id = $2`,
            [storedId(id), capacity],
          )
          await request('PUT', `events/${id}/rsvps/me`, { status: 'going' })
          return { id }
        },
        does: ({ id }) => request('PUT', `events/${id}/rsvps/me`, { status: 'canceled' }),
        undoes: ({ id }) => request('PUT', `events/${id}/rsvps/me`, { status: 'going' }),
        // It waits for a seat from now on.
        except: ['rsvp.queued_at'],
      },
      4,
    ))
})
