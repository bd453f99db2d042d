import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { createTargets } from '../compare/targets.ts'
import { type DemoSchool, startDemoSchool } from './demoSchool.ts'
import { machine, median, printRows } from './figures.ts'

const help = `npm run bench -- undo [options]

Lets an app change a course with many learners, and takes everything back in one request, first as a dry run. Reports the median time of that
request, in each of the rounds that follow two for warming up.

  --rounds <n>       measured rounds (5)
  --activities <n>   requests that are taken back together, at most 100 (66)
  --learners <n>     learners of the course, each with progress in every lesson (1000)
  --most <ms>        the longest allowed time (4000)
  --help

BENCH_DATABASE_URL names the PostgreSQL server; redis-server must be installed. Exits with 1 if the time exceeds --most.`

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const warmUps = 2

type Send = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Record<string, unknown>>

/** Runs `npm run bench -- undo`. Returns the exit code. */
export async function undoCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '5' },
      activities: { type: 'string', default: '66' },
      learners: { type: 'string', default: '1000' },
      most: { type: 'string', default: '4000' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    say(help)
    return 0
  }
  const targets = await createTargets(process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres')
  let school: DemoSchool | undefined
  try {
    const address = await targets.database()
    school = await startDemoSchool({ DATABASE_URL: address, REDIS_URL: `${targets.redisUrl}/0` }, { server: 'undo: { days: 30 }' })
    const send = senderOf(school)
    const kinds = await kindsOf(send, address, Number(values.learners))
    say(machine())
    const rows: { name: string; dry: number; done: number }[] = []
    for (const [name, change] of Object.entries(kinds)) {
      const times = { dry: [] as number[], done: [] as number[] }
      for (let round = -warmUps; round < Number(values.rounds); round += 1) {
        const since = new Date(Date.now() - 1).toISOString()
        for (let at = 0; at < Number(values.activities); at += 1) await change(`Round ${round}, change ${at}`)
        const body = { since }
        for (const [kind, headers] of [
          ['dry', { 'dry-run': 'true' }],
          ['done', {}],
        ] as const) {
          const start = performance.now()
          const { undone, failed } = await send('POST', '/account/activity/undo', body, headers)
          if (round >= 0) times[kind].push(performance.now() - start)
          if ((undone as unknown[]).length !== Number(values.activities))
            throw new Error(`taken back: ${JSON.stringify({ undone, failed })}`)
        }
      }
      rows.push({ name, dry: median(times.dry), done: median(times.done) })
    }
    printRows(
      [`${values.activities} activities`, 'dry run ms', 'taken back ms'],
      rows.map(({ name, dry, done }) => [name, dry.toFixed(0), done.toFixed(0)]),
      say,
    )
    return rows.every(({ dry, done }) => Math.max(dry, done) <= Number(values.most)) ? 0 : 1
  } finally {
    await school?.stop()
    await targets.stop()
  }
}

/** Creates a course with ten lessons and its learners. Returns kinds of changes of it, by name. */
async function kindsOf(send: Send, address: string, learners: number): Promise<Record<string, (text: string) => Promise<unknown>>> {
  const course = await send('POST', '/courses', { title: 'A large course' })
  const section = await send('POST', `/courses/${course.id}/sections`, { title: 'The lessons' })
  const lessons: string[] = []
  for (let at = 0; at < 10; at += 1) {
    const { id } = await send('POST', `/sections/${section.id}/lessons`, { title: `Lesson ${at}`, kind: 'text' })
    await send('POST', `/lessons/${id}/publish`)
    lessons.push(String(id))
  }
  const client = new Client({ connectionString: address })
  await client.connect()
  await client.query(
    `WITH course AS (SELECT school_id, id FROM course WHERE title = 'A large course'),
          people AS (INSERT INTO person (school_id, id, email, name, is_student)
            SELECT school_id, gen_random_uuid(), gen_random_uuid() || '@example.org', 'Learner', true FROM course, generate_series(1, $1::int)
            RETURNING school_id, id),
          enrolled AS (INSERT INTO enrollment (school_id, id, person_id, course_id, source)
            SELECT people.school_id, gen_random_uuid(), people.id, course.id, 'manual' FROM people, course RETURNING school_id, id, person_id, course_id)
     INSERT INTO lesson_progress (school_id, id, enrollment_id, lesson_id, course_id, person_id)
     SELECT enrolled.school_id, gen_random_uuid(), enrolled.id, lesson.id, enrolled.course_id, enrolled.person_id
       FROM enrolled JOIN lesson ON lesson.school_id = enrolled.school_id AND lesson.course_id = enrolled.course_id`,
    [learners],
  )
  await client.query('ANALYZE')
  await client.end()
  return {
    'titles of a lesson': (title) => send('PATCH', `/lessons/${lessons[0]}`, { title }),
    'new sections': (title) => send('POST', `/courses/${course.id}/sections`, { title }),
    'new lessons': (title) => send('POST', `/sections/${section.id}/lessons`, { title, kind: 'text' }),
  }
}

const senderOf =
  ({ service, token }: DemoSchool): Send =>
  async (method, path, body, headers) => {
    const { status, text } = await service.client.send(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(method !== 'GET' && { json: body ?? {} }),
    })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 200)}`)
    return text === '' ? {} : JSON.parse(text)
  }
