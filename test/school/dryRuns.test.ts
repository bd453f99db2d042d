import { beforeAll, expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import type { ObjectChange } from '../../src/engine/write/visibleChanges.ts'
import { changeLines } from '../../src/pages/account/changeLines.ts'
import { changeSentence } from '../../src/pages/account/changeSentence.ts'
import { createTexts, textOf } from '../../src/pages/texts.ts'
import type { Change } from '../../src/school/account/appActivity.ts'
import { newPeople } from '../support/community.ts'
import { changedTables, dumpSchool } from '../support/schoolDump.ts'
import type { DemoApi, Reply } from './demoApi.ts'
import { createSubjects } from './derived/createSubjects.ts'
import { actor, actorOf, everyWrite, withMatch } from './derived/everyWrite.ts'
import { isTestedElsewhere } from './derived/exceptions.ts'
import { describeDemo } from './describeDemo.ts'
import { takesForm } from './wrongs.ts'

interface Figures {
  affected: { type: string; action: string; count: number }[]
  people: number
  emails: number
  webhooks: number
}

const figuresIn = ({ affected, people, emails, webhooks }: Figures): string => JSON.stringify([affected, people, emails, webhooks])

interface Report extends Figures {
  status: number
  changes: ObjectChange[]
}

type Done = Change & Figures & { id: string; changes: ObjectChange[]; undo: { possible: boolean } }

/** Returns the fields that changes set, without those that count. */
const valuesIn = (changes: readonly ObjectChange[], isBack = false): unknown[] =>
  changes
    .filter(({ action }) => action === 'updated')
    .flatMap(({ id, fields }) =>
      fields.map(({ field, before, after }) => [id, field, ...(isBack ? [after, before] : [before, after])].join()),
    )
    .toSorted()

/** Returns the ids of objects that came, went or changed, by what taking it back does to them. */
const objectsIn = (changes: readonly ObjectChange[], isBack = false): unknown[] => {
  const back = { created: 'deleted', deleted: 'created', restored: 'deleted', updated: 'updated' } as const
  return changes.flatMap(({ id, action }) => (id === null ? [] : [`${id} ${isBack ? back[action] : action}`])).toSorted()
}

const reportOf = ({ json }: Reply): Report => json.dry_run as Report

const undoing = { method: 'POST', body: {}, headers: { 'dry-run': 'true' } }

/** Returns what the page of the activity leaves out: each changed field has a line, and the sentence names no id. */
function onPage(done: Done): unknown[] {
  return (['en', 'de'] as const).flatMap((language) => {
    const texts = createTexts(language)
    const lines = changeLines(texts, done.changes, { limit: 10_000 }).map(textOf)
    const sentence = textOf(changeSentence(texts, done))
    const fields = done.changes.flatMap((one) => one.fields)
    const isRight = lines.length === fields.length && fields.every(({ field }, at) => lines[at]?.startsWith(texts.field(field)))
    return isRight && !/undefined|[{}_]/.test(sentence) ? [] : [[done.operation, sentence, lines, fields]]
  })
}

const dump = ({ database: { sql }, school }: DemoApi) => dumpSchool(sql, school.id, { withTraces: true })

/** Replaces what differs between two requests: ids, times, and random codes and numbers. */
const withoutIdsAndTimes = (value: unknown): string =>
  JSON.stringify(value, (name, member) => (name === 'dry_run' ? undefined : member))
    .replaceAll(/[a-z]{3}_[0-9a-z]{26}|[0-9a-f-]{36}/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/\b[0-9A-Z]{16}\b|\bGIFT-[0-9A-Z]{8}\b/g, 'code')

describeDemo('a dry run, on $name', (api) => {
  beforeAll(async () => {
    await api.database.sql.query("UPDATE person SET is_member = true WHERE school_id = $1 AND email = 'admin1@example.com'", [
      api.school.id,
    ])
  })

  test('of every write keeps nothing; its response, the request in earnest, its activity, its page and its taking back say the same', async () => {
    const subjects = createSubjects(api)
    let compared = 0
    let taken = 0
    const differences: unknown[] = []
    for (const operation of everyWrite.filter((one) => !isTestedElsewhere(one) && !takesForm(one))) {
      const id = await subjects.subjectOf(operation)
      const sending = await subjects.sendingFor(operation, id)
      const options = withMatch({ ...sending, method: operation.method, as: actorOf(operation) })
      const path = subjects.addressOf(operation, id)
      const before = await dump(api)
      const dry = await api.send(path, { ...options, headers: { ...options.headers, 'dry-run': 'true' } })
      const after = await dump(api)
      const touched = changedTables(before, after)
      const real = await api.send(path, options)
      const [dryBody, realBody] = [dry.json, real.json].map(withoutIdsAndTimes)
      if (touched.length > 0) differences.push([operation.id, 'changed', touched])
      if (reportOf(dry)?.status !== real.status)
        differences.push([operation.id, dry.status, dry.text.slice(0, 300), real.status, real.text.slice(0, 300)])
      if (dryBody !== realBody) differences.push([operation.id, dryBody, realBody])
      const [done] = (await api.get('/api/v1/account/activity?limit=1', { as: options.as })).json.data as Done[]
      if (done?.operation === operation.id) {
        const [planned, made] = [reportOf(dry).changes, done.changes.slice(0, 50)].map(withoutIdsAndTimes)
        if (planned !== made) differences.push([operation.id, planned, made])
        const [foreseen, found] = [reportOf(dry), done].map(figuresIn)
        if (foreseen !== found) differences.push([operation.id, foreseen, found])
        differences.push(...onPage(done))
        if (done.undo.possible) {
          const back = await api.send(`/api/v1/account/activity/${done.id}/undo`, { ...undoing, as: options.as })
          if (back.status === 200) {
            const reversed = reportOf(back).changes
            const [shown, meant] = [objectsIn(reversed), objectsIn(done.changes, true)]
            const [values, former] = [valuesIn(reversed), valuesIn(done.changes, true)]
            if (String(shown) !== String(meant) || String(values) !== String(former))
              differences.push([operation.id, shown, meant, values, former])
            taken++
          } else if (back.status !== 409) differences.push([operation.id, back.status, back.text.slice(0, 300)])
        }
        compared++
      }
      if (dry.headers.get('dry-run') !== 'applied' || dry.headers.has('location')) differences.push([operation.id, 'headers'])
    }
    expect(differences).toEqual([])
    expect(compared).toBeGreaterThan(100)
    expect(taken).toBeGreaterThan(70)
  })

  test('counts what would fall together with the row, and the e-mails', async () => {
    const { sql } = api.database
    const [section] = await sql.query<{ id: string; lessons: number }>(
      `SELECT section.id, count(*)::int AS lessons FROM section JOIN lesson ON lesson.section_id = section.id
        WHERE section.school_id = $1 GROUP BY section.id ORDER BY count(*) DESC LIMIT 1`,
      [api.school.id],
    )
    const { id = '', lessons = 0 } = section ?? {}
    expect(lessons).toBeGreaterThan(1)
    const people = (await newPeople(sql, api.school.id, 3)).map((person) => person.id)
    await sql.query(
      `WITH enrolled AS (
         INSERT INTO enrollment (school_id, id, person_id, course_id, source)
         SELECT $1, gen_random_uuid(), person.id, section.course_id, 'manual' FROM unnest($2::uuid[]) person (id), section WHERE section.id = $3
         RETURNING *)
       INSERT INTO lesson_progress (school_id, id, enrollment_id, lesson_id, course_id, person_id)
       SELECT $1, gen_random_uuid(), enrolled.id, lesson.id, enrolled.course_id, enrolled.person_id
         FROM enrolled, (SELECT id FROM lesson WHERE section_id = $3 LIMIT 1) lesson`,
      [api.school.id, people, id],
    )
    const path = `/api/v1/sections/${toPublicId('sec', id)}?cascade=true`
    const dry = await api.send(path, { method: 'DELETE', as: actor, headers: { 'dry-run': '?1' } })
    expect(reportOf(dry)).toMatchObject({ status: 204, emails: 0 })
    expect(reportOf(dry).affected).toEqual(
      expect.arrayContaining([
        { type: 'lesson', action: 'deleted', count: lessons },
        { type: 'lesson_progress', action: 'deleted', count: 3 },
        { type: 'section', action: 'deleted', count: 1 },
      ]),
    )
  })

  test('needs the same permission, refuses what the request in earnest refuses, and uses no Idempotency-Key', async () => {
    const body = { title: 'Tried' }
    const headers = { 'dry-run': 'true', 'idempotency-key': 'tried-1' }
    const refused = await api.send('/api/v1/courses', { as: actor, scopes: ['courses:read'], body, headers })
    expect([refused.status, refused.json.error]).toEqual([403, 'insufficient_scope'])
    const invalid = await api.send('/api/v1/courses', { as: actor, body: { title: 5 }, headers })
    expect([invalid.status, invalid.json.error]).toEqual([422, 'validation_failed'])
    const tried = await api.send('/api/v1/courses', { as: actor, body, headers })
    expect([tried.status, reportOf(tried).affected]).toEqual([
      201,
      ['course', 'curriculum'].map((type) => ({ type, action: 'created', count: 1 })),
    ])
    const other = await api.send('/api/v1/courses', { as: actor, body: { title: 'Made' }, headers: { 'idempotency-key': 'tried-1' } })
    expect([other.status, other.json.title, other.headers.has('idempotent-replayed')]).toEqual([201, 'Made', false])
    const unclear = await api.send('/api/v1/courses', { as: actor, body, headers: { 'dry-run': 'maybe' } })
    expect([unclear.status, unclear.json.error]).toEqual([400, 'invalid_request'])
  })
})
