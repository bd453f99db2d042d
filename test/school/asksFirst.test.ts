import { expect, test } from 'vitest'
import { asksFirstOf, undoOf } from '../../src/engine/declare/operations.ts'
import { databasesToTest } from '../support/databases.ts'
import { changedTables, dumpSchool } from '../support/schoolDump.ts'
import { addGrant, type DemoApi, startDemoApi } from './demoApi.ts'
import { createSubjects } from './derived/createSubjects.ts'
import { actorOf, everyWrite, withMatch } from './derived/everyWrite.ts'
import { isTestedElsewhere } from './derived/exceptions.ts'
import { takesForm } from './wrongs.ts'

const operations = everyWrite.filter((operation) => asksFirstOf(operation) !== undefined)
/** They need a session or an authorization of the service: see `account/approvals`. */
const ofService: readonly string[] = ['endSession', 'revokeAuthorization']

/** They add something of the caller, or send one e-mail again. Where they overwrite something, they ask like every other write. */
const neither: readonly string[] = [
  ...['resendStudentInvite', 'putMyRsvp', 'createRsvp', 'uploadFile', 'createUpload', 'resendEmailChange', 'stopEmails'],
  ...['submitProposal', 'endProposal', 'removeProposalRequest'],
]

/** They decide which apps are trusted, so they ask although they can be taken back. */
const both: readonly string[] = ['allowApp', 'disallowApp']

/** With the examples of their schemas, these only add rows too. */
const onlyAdd = ['setCourseLecturers', 'bulkStudents', 'bulkEnrollments', 'bulkMembers', 'labelMembers', 'importCurriculum']

test('every write can be taken back, or asks first, or is in a short list', () => {
  expect(operations.filter((operation) => undoOf(operation) === true).map(({ id }) => id)).toEqual(both)
  const others = everyWrite.filter((operation) => undoOf(operation) !== true && asksFirstOf(operation) === undefined)
  expect(others.map(({ id }) => id)).toEqual(neither)
})

test.each(await databasesToTest())(
  'every operation that asks first is refused without a decision, and changes nothing, on $name',
  async ({ open }) => {
    const api = await startDemoApi(await open())
    try {
      const { sql } = api.database
      await sql.query("UPDATE person SET is_member = true WHERE school_id = $1 AND email = 'admin1@example.com'", [api.school.id])
      await addGrant(api)
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
        await sql.query('DELETE FROM proposal')
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

test.each(await databasesToTest())(
  'where nothing can be taken back, every write that does more than add something asks first, on $name',
  async ({ open }) => {
    const api = await startDemoApi(await open(), undefined, undefined, { undoDays: 0 })
    try {
      await addGrant(api)
      const subjects = createSubjects(api)
      const silent: string[] = []
      const undoable = everyWrite.filter(
        (one) => undoOf(one) === true && !isTestedElsewhere(one) && !takesForm(one) && !one.id.startsWith('undo'),
      )
      for (const operation of undoable) {
        const id = await subjects.subjectOf(operation)
        const options = withMatch({ ...(await subjects.sendingFor(operation, id)), method: operation.method, as: actorOf(operation) })
        const reply = await api.send(subjects.addressOf(operation, id), {
          ...options,
          headers: { ...options.headers, 'x-test-asks-first': '1' },
        })
        if (reply.json.error !== 'approval_required' && reply.status !== 201) silent.push(operation.id)
        await api.database.sql.query('DELETE FROM proposal')
      }
      expect(silent).toEqual(onlyAdd)
    } finally {
      await api.stop()
    }
  },
)
