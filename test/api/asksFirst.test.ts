import { expect, test } from 'vitest'
import { asksFirstOf } from '../../src/framework/declare/asksFirst.ts'
import { undoOf } from '../../src/framework/declare/undo.ts'
import { databasesToTest } from '../support/databases.ts'
import { changedTables, dumpSchool } from '../support/schoolDump.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'
import { createSubjects } from './derived/createSubjects.ts'
import { actorOf, everyWrite, withMatch } from './derived/everyWrite.ts'

const operations = everyWrite.filter((operation) => asksFirstOf(operation) !== undefined)
/** They need a session or an authorization of the service: see `account/approvals`. */
const ofService: readonly string[] = ['endSession', 'revokeAuthorization']

test('operations that ask first are about twenty, and none of them can be taken back', () => {
  expect(operations.length).toBeGreaterThanOrEqual(18)
  expect(operations.filter((operation) => undoOf(operation) === true).map(({ id }) => id)).toEqual([])
})

test.each(await databasesToTest())(
  'every operation that asks first is refused without a decision, and changes nothing, on $name',
  async ({ open }) => {
    const api = await startDemoApi(await open())
    try {
      const { sql } = api.database
      await sql.query("UPDATE person SET is_member = true WHERE school_id = $1 AND email = 'admin1@example.com'", [api.school.id])
      await sql.query(
        `INSERT INTO oidc_grant (school_id, id, account_id, client_id, payload, expires_at)
       SELECT school_id, 'grant', id, 'cli_test', '{}', now() + interval '1 day' FROM account WHERE school_id = $1 LIMIT 1`,
        [api.school.id],
      )
      const subjects = createSubjects(api)
      const wrong: unknown[] = []
      for (const operation of operations.filter((one) => !ofService.includes(one.id))) {
        const id = await subjects.subjectOf(operation)
        const options = withMatch({ ...(await subjects.sendingFor(operation, id)), method: operation.method, as: actorOf(operation) })
        const before = await dump(api)
        const reply = await api.send(subjects.addressOf(operation, id), {
          ...options,
          headers: { ...options.headers, 'x-test-asks-first': '1' },
        })
        if (reply.json.error !== 'approval_required') wrong.push([operation.id, reply.status, reply.text.slice(0, 200)])
        await sql.query('DELETE FROM approval')
        const touched = changedTables(before, await dump(api))
        if (touched.length > 0) wrong.push([operation.id, touched])
      }
      expect(wrong).toEqual([])
    } finally {
      await api.stop()
    }
  },
)

const dump = ({ database: { sql }, school }: DemoApi) => dumpSchool(sql, school.id, { withTraces: true })
