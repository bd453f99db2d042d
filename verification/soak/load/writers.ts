import { people } from '../installation.ts'
import type { LedgerRow } from '../ledger.ts'
import { pictureWith } from '../picture.ts'
import type { LoadContext, LoadKind } from './context.ts'

const merge = { 'content-type': 'application/merge-patch+json' }

/** Staff create courses and posts and change them. Every creation has an Idempotency-Key and is repeated under it now and then. */
export function titles(context: LoadContext): LoadKind {
  const { as, ledger, random, monitor } = context
  const kinds = [
    { table: 'course', path: '/api/v1/courses', create: 'createCourse', update: 'updateCourse' },
    { table: 'post', path: '/api/v1/posts', create: 'createPost', update: 'updatePost' },
  ] as const
  /** Rows that a loop is changing. */
  const busy = new Set<LedgerRow>()

  async function create({ table, path, create: target }: (typeof kinds)[number]): Promise<void> {
    const marker = ledger.mark()
    const sending = { target, path, json: { title: marker }, headers: { 'idempotency-key': `key-${marker}` }, expected: [201, 409] }
    const made = await as('owner', sending)
    // The first request is still being processed: it comes again.
    if (made.status === 409) return
    const { id } = made.json
    ledger.acknowledge({ table, id, values: [marker], path: `${path}/${id}`, member: 'title', role: 'owner', version: 1 })
    if (!random.chance(0.3)) return
    const again = await as('owner', sending)
    if (again.status === 201 && again.json.id !== id) monitor.report(`${target}: a repeated key created ${again.json.id} after ${id}`)
  }

  async function change({ table, update: target }: (typeof kinds)[number]): Promise<void> {
    const own = [...ledger.rows.values()].filter((row) => row.table === table && !busy.has(row)).slice(-40)
    if (own.length === 0) return
    const row = random.pick(own)
    busy.add(row)
    try {
      const { headers } = await as('owner', { target: '-', path: row.path, expected: [200] })
      const tag = String(headers.etag)
      const marker = row.values[0]?.slice(0, 10) ?? ''
      // Two requests with one tag: at most one of them may succeed.
      const titles = Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => `${marker} ${random.below(1e9)}`)
      const before = row.values
      row.values = [...before, ...titles]
      const sent = titles.map((title) =>
        as('owner', {
          target,
          method: 'PATCH',
          path: row.path,
          headers: { ...merge, 'if-match': tag },
          json: { title },
          expected: [200, 412],
        }),
      )
      const replies = await Promise.all(sent)
      const won = replies.flatMap(({ status }, index) => (status === 200 ? [titles[index] ?? ''] : []))
      if (won.length > 1) monitor.report(`${target}: ${won.length} changes with one If-Match succeeded`)
      if (won.length > 0) {
        row.values = won
        row.version = (row.version ?? 0) + won.length
      } else if (replies.every(({ tries }) => tries === 0)) {
        monitor.report(`${target}: 412 for the current tag`)
        row.values = before
      }
    } finally {
      busy.delete(row)
    }
  }

  return {
    name: 'courses and posts',
    loops: 2,
    everyMs: 100,
    step: () => (random.chance(0.5) ? create : change)(random.pick(kinds)),
  }
}

/** Staff add students in bulk. */
export const bulk = ({ as, ledger }: LoadContext): LoadKind => ({
  name: 'bulk requests',
  loops: 1,
  everyMs: 900,
  async step() {
    const markers = [ledger.mark(), ledger.mark(), ledger.mark()]
    const path = '/api/v1/students'
    const json = { items: markers.map((name) => ({ email: `${name}@example.org`, name })) }
    const headers = { 'idempotency-key': `bulk-${markers[0]}` }
    const reply = await as('owner', { target: 'bulkStudents', path: `${path}/bulk`, json, headers, expected: [200, 207, 409] })
    if (reply.status === 409) return
    for (const [index, { id }] of (reply.json.results as { id: string }[]).entries())
      ledger.acknowledge({ table: 'person', id, values: [markers[index] ?? ''], path: `${path}/${id}`, member: 'name', role: 'owner' })
  },
})

/** A learner goes through a lesson. */
export async function progress({ as, ledger }: LoadContext): Promise<LoadKind> {
  const post = async (path: string, json: object, expected = 201): Promise<string> =>
    (await as('owner', { target: '-', path: `/api/v1/${path}`, json, expected: [expected] })).json.id
  const title = ledger.mark()
  const course = await post('courses', { title, access: 'free' })
  const lesson = await post(`sections/${await post(`courses/${course}/sections`, { title: 'One' })}/lessons`, {
    ...{ title: 'One', kind: 'text', content: 'Two' },
  })
  await post(`lessons/${lesson}/publish`, {}, 200)
  const enrollment = await post('enrollments', { course_id: course, student_email: people.learners[0], override: true })
  const path = `/api/v1/enrollments/${enrollment}/progress/${lesson}`
  const member = 'data.0.position_seconds'
  const row: LedgerRow = { ...{ table: 'lesson_progress', id: enrollment, member, role: 'learner' }, values: ['0'], path: '' }
  row.path = `/api/v1/lesson_progress?course_id=${course}`
  let seconds = 0
  return {
    name: 'progress',
    loops: 1,
    everyMs: 300,
    async step() {
      seconds += 1
      row.values = [...row.values, String(seconds)]
      const json = { position_seconds: seconds }
      await as('learner', { target: 'putLessonProgress', method: 'PUT', path, json, expected: [200] })
      row.values = [String(seconds)]
      ledger.acknowledge(row)
    },
  }
}

/** Staff upload files. */
export const uploads = ({ as, insist, ledger, random, monitor }: LoadContext): LoadKind => ({
  name: 'uploads',
  loops: 1,
  everyMs: 900,
  async step() {
    const marker = ledger.mark()
    const bytes = pictureWith(`${marker} ${'text '.repeat(1000 + random.below(8000))}`)
    const announced = { filename: `${marker}.png`, content_type: 'image/png', purpose: 'image', byte_size: bytes.length }
    const path = '/api/v1/storage/uploads'
    const headers = { 'idempotency-key': marker }
    const reply = await as('owner', { target: 'createUpload', path, json: announced, headers, expected: [201, 409] })
    if (reply.status === 409) return
    const { upload, id } = reply.json
    const since = performance.now()
    const put = { target: 'putUploadContent', method: 'PUT', path: upload.url, headers: upload.headers, bytes }
    const stored = await insist({ ...put, expected: [200, 403, 409, 410] })
    if (stored.status === 200) ledger.files.push({ id: stored.json.id, bytes })
    // The first request may have stored it before its response was lost.
    else if (!monitor.wasDisturbed(since)) monitor.report(`putUploadContent: ${stored.status} for a new upload ${id}`, stored.text)
  },
})
