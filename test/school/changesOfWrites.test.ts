import type { Kysely } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { changeActions } from '../../src/database/tables/changeActions.ts'
import type { AnyRows, AnyTables } from '../../src/engine/declare/expressions.ts'
import type { Resource } from '../../src/engine/declare/resource.ts'
import { changeFeedOf } from '../../src/engine/output/changeFeed.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { newComment, newForm, newPeople, newPost, newSubmission } from '../support/community.ts'
import { openTestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { newFile } from '../support/files.ts'
import { newPlan } from '../support/memberships.ts'
import { until } from '../support/poll.ts'
import { type Reply, startDemoApi } from './demoApi.ts'
import { createSubjects } from './derived/createSubjects.ts'
import { actor, actorOf, everyWrite, withMatch } from './derived/everyWrite.ts'
import { isTestedElsewhere } from './derived/exceptions.ts'

const operations = operationsIn(resources)
const feed = changeFeedOf(operations)
const followed: Resource[] = [...feed.types.values()].map(({ resource }) => resource)

/** Versions of rows, by `type id`. */
type Versions = Map<string, number>

const api = duringTests(async () => startDemoApi(await openTestDatabase()))
beforeAll(async () => {
  await api.database.sql.query("UPDATE person SET is_member = true WHERE school_id = $1 AND email = 'admin1@example.com'", [api.school.id])
})

async function versions(): Promise<Versions> {
  const kysely = api.database.kysely as unknown as Kysely<AnyTables>
  const found: Versions = new Map()
  for (const { object, table, versionColumn, part } of followed) {
    const rows = await kysely
      .selectFrom(table as 'any_table')
      .select(['id', `${versionColumn} as version`] as never)
      .where(table === 'school' ? 'id' : 'school_id', '=', api.school.id)
      .where((inner) => part?.(inner as AnyRows) ?? inner.lit(true))
      .execute()
    for (const row of rows as { id: string; version: number }[]) found.set(`${object} ${row.id}`, row.version)
  }
  return found
}

interface Recorded {
  id: string
  type: string
  resource_id: string
  version: number
  action: string
  by: string
}

const recorded = (): Promise<Recorded[]> =>
  api.database.sql.query(
    "SELECT id, type, resource_id, version, action, concat_ws(' ', actor_kind, client_id) AS by FROM change_log WHERE school_id = $1",
    [api.school.id],
  )

/** Returns who made the writes that the audit trail has after this id. */
const writesSince = async (id: string): Promise<string[]> =>
  (
    await api.database.sql.query<{ by: string }>(
      `SELECT concat_ws(' ', CASE WHEN client_id IS NULL THEN 'person' ELSE 'app' END, client_id) AS by
         FROM audit_log WHERE school_id = $1 AND id > $2 AND details ? 'operation'`,
      [api.school.id, id],
    )
  ).map(({ by }) => by)

/** Rows whose version is another one than before, and of which the feed does not say so. */
async function missedBy(work: () => Promise<Reply>): Promise<{ reply: Reply; missed: string[]; entries: Recorded[] }> {
  const [before, known] = [await versions(), new Set((await recorded()).map(({ id }) => id))]
  const reply = await work()
  const after = await versions()
  const entries = (await recorded()).filter(({ id }) => !known.has(id))
  const recordedKeys = new Set(entries.map(({ type, resource_id, version }) => `${type} ${resource_id} ${version}`))
  const gone = new Set(entries.filter(({ action }) => action === 'deleted').map(({ type, resource_id }) => `${type} ${resource_id}`))
  return {
    reply,
    missed: [
      ...[...after]
        .filter(([row, version]) => before.get(row) !== version && !recordedKeys.has(`${row} ${version}`))
        .map(([row, version]) => `${row} ${version}`),
      ...[...before.keys()].filter((row) => !after.has(row) && !gone.has(row)).map((row) => `${row} is gone`),
    ],
    entries,
  }
}

describe('the change feed', () => {
  test('names every resource whose rows can be read, each with the scope that reads it', () => {
    expect([...feed.types.keys()]).toEqual(
      expect.arrayContaining(['order', 'comment', 'form', 'form_submission', 'file', 'lesson_progress', 'rsvp', 'coupon_redemption']),
    )
    const readable = operations.filter(({ kind }) => kind === 'list' || kind === 'get')
    for (const { resource, scope } of readable) expect(feed.types.get(resource.object)?.scope).toBe(scope)
  })

  test.each([
    ['the app that called it', {}, 'app cli_test'],
    ['the person who acted on a page', { 'x-test-page': 'true' }, 'person'],
  ])('has an entry with the new version of every row that an operation changes, by %s, as the trail', async (_who, headers, by) => {
    const missed: string[] = []
    const unknown = new Set<string>()
    const actors = new Set<string>()
    const trail = new Set<string>()
    const subjects = createSubjects(api)
    for (const operation of everyWrite.filter((one) => !isTestedElsewhere(one))) {
      const id = await subjects.subjectOf(operation)
      const sending = await subjects.sendingFor(operation, id)
      const options = withMatch({
        ...sending,
        method: operation.method,
        as: actorOf(operation),
        headers: { ...sending.headers, ...headers },
      })
      const last = newId()
      const result = await missedBy(() => api.send(subjects.addressOf(operation, id), options))
      if (result.reply.status >= 300) missed.push(`${operation.id}: ${result.reply.status} ${result.reply.text}`)
      missed.push(...result.missed.map((row) => `${operation.id}: ${row}`))
      for (const { action } of result.entries) if (!(action in changeActions)) unknown.add(action)
      for (const { by } of result.entries) actors.add(by)
      for (const entry of await writesSince(last)) trail.add(entry)
    }
    expect(missed).toEqual([])
    expect([...unknown]).toEqual([])
    expect([...actors]).toEqual([by])
    expect([...trail]).toEqual([by])
  })

  test('has an entry under each facet of a person whose tier changes', async () => {
    const { sql } = api.database
    const [person] = await newPeople(sql, api.school.id, 1)
    const { planId, priceId } = await newPlan(sql, api.school.id)
    const ids = {
      member_id: toPublicId('mbr', person?.id as string),
      plan_id: toPublicId('mpl', planId),
      price_id: toPublicId('prc', priceId),
    }
    const { missed, reply } = await missedBy(() => api.send('/api/v1/subscriptions', { as: actor, body: { ...ids, collection: 'comped' } }))
    expect([reply.status, missed]).toEqual([201, []])
    const entries = (await recorded()).filter((entry) => entry.resource_id === person?.id)
    expect(entries.map(({ type, version }) => [type, version]).toSorted()).toEqual([
      ['member', 2],
      ['student', 2],
    ])
  })

  test('shows the staff sales, comments, submissions, files and progress, but not the accounts of other people', async () => {
    const { sql } = api.database
    const rows: [type: string, prefix: string, id: string][] = []
    const post = await newPost(sql, api.school.id)
    rows.push(['comment', 'cmt', await newComment(sql, api.school.id, { type: 'post', id: post })])
    const form = await newForm(sql, api.school.id)
    rows.push(['form', 'frm', form], ['form_submission', 'fsb', await newSubmission(sql, api.school.id, form)])
    const idOf = async (table: string, where = 'true'): Promise<string> =>
      (await sql.query<{ id: string }>(`SELECT id FROM ${table} WHERE school_id = $1 AND ${where} LIMIT 1`, [api.school.id]))[0]
        ?.id as string
    rows.push(['file', 'fil', await newFile(sql, api.school.id)])
    rows.push(
      ['account', 'acc', await idOf('account', `email = '${actor}'`)],
      ['account', 'acc', await idOf('account', `email <> '${actor}'`)],
    )
    const types = [...new Set(rows.map(([type]) => type))].join(',')
    const path = `/api/v1/changes?types=${types}`
    const start = (await api.get(`${path}&cursor=latest`, { as: actor })).json.page as { next_cursor: string }
    for (const [type, , id] of rows) {
      // As an earlier release wrote it: its names are shown as those of this one.
      const action = type === 'comment' ? 'hide' : type === 'form' ? 'revisions/{n}/restore' : 'created'
      await sql.query(
        `INSERT INTO change_log (school_id, transaction, id, type, resource_id, action, version)
         VALUES ($1, pg_current_xact_id()::text::bigint, gen_random_uuid(), $2, $3, $4, 1)`,
        [api.school.id, type, id, action],
      )
    }
    const ids = new Set(rows.map(([, prefix, id]) => toPublicId(prefix, id)))
    const page = await until(
      async () => {
        const { json } = await api.get(`${path}&cursor=${start.next_cursor}`, { as: actor })
        const data = json.data as { action: string; resource: { type: string; id: string } }[]
        // Changes of earlier tests may become visible only now: an open transaction of the same server holds them back.
        const own = data.filter(({ resource }) => ids.has(resource.id))
        return own.length >= rows.length - 1 && own
      },
      { what: 'the changes in the feed' },
    )
    expect(page.map(({ action, resource }) => [resource.type, resource.id, action])).toEqual(
      rows
        .slice(0, -1)
        .map(([type, prefix, id]) => [type, toPublicId(prefix, id), { comment: 'hidden', form: 'updated' }[type] ?? 'created']),
    )
    const lacking = await api.get(path, { as: actor, scopes: ['comments:read'] })
    expect([lacking.status, lacking.headers.get('www-authenticate')]).toEqual([403, expect.stringContaining('storage:write')])
  })
})
