import { fromPublicId, newId } from '../../src/base/ids.ts'
import type { DemoApi, Reply, SendOptions } from './demoApi.ts'

export const owner = 'owner@example.com'
/** The lecturer of the courses that are created here. */
export const lecturer = 'lecturer2@example.com'
/** Teaches none of them. */
export const stranger = 'lecturer1@example.com'
export const learner = 'learner001@example.org'
export const other = 'learner002@example.org'

/** Steps that tests of learning share. */
export function learningIn(api: DemoApi) {
  const send = (path: string, options: SendOptions = {}): Promise<Reply> => api.send(`/api/v1/${path}`, { as: owner, ...options })
  const get = (path: string, as: string | undefined = owner): Promise<Reply> => api.get(`/api/v1/${path}`, { as })
  const post = async (path: string, body: object = {}, as = owner): Promise<{ id: string } & Record<string, unknown>> => {
    const reply = await send(path, { as, body })
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`)
    return reply.json as { id: string }
  }
  const rows = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    api.database.sql.query<Row>(text, [api.school.id, ...values])

  /** Creates a published course with so many published lessons, free by default. */
  async function newCourse({ lessons = 2, ...fields }: { lessons?: number; [field: string]: unknown } = {}) {
    const title = `Basket weaving ${newId()}`
    const course = await post('courses', { title, access: 'free', ...fields }, lecturer)
    const section = await post(`courses/${course.id}/sections`, { title: 'Willow' })
    const ids: string[] = []
    for (let index = 0; index < Math.max(1, lessons); index++) {
      const { id } = await post(`sections/${section.id}/lessons`, {
        title: `Lesson ${index}`,
        kind: 'text',
        content: 'Secret of the trade',
      })
      if (index < lessons) await post(`lessons/${id}/publish`)
      ids.push(id)
    }
    if (lessons > 0) await post(`courses/${course.id}/publish`)
    return { id: course.id, title, section: section.id, lessons: ids as [string, string, ...string[]] }
  }

  const enroll = (course: { id: string }, email = learner, more: object = {}) =>
    post('enrollments', { course_id: course.id, student_email: email, ...more })

  const put = (enrollment: { id: string }, lesson: string, body: object, as = learner): Promise<Reply> =>
    send(`enrollments/${enrollment.id}/progress/${lesson}`, { method: 'PUT', as, body })

  /** Sets columns of an enrolment, past the API. */
  const set = (enrollment: { id: string }, columns: string) =>
    rows(`UPDATE enrollment SET ${columns} WHERE school_id = $1 AND id = $2`, [storedId(enrollment.id)])

  return { send, get, post, rows, newCourse, enroll, put, set }
}

export const storedId = (publicId: string): string => fromPublicId(publicId.slice(0, 3), publicId) as string
