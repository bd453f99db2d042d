import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { lockOwners } from '../../src/school/staff/owners.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { type Reply, startDemoApi } from './demoApi.ts'

const [first, second] = ['owner@example.com', 'admin1@example.com'] as const

describe.each((await databasesToTest()).filter(({ name }) => name === 'postgresql'))('the owners of a school, on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open()))
  let secondId: string
  beforeAll(async () => {
    secondId = await staffId(second)
  })
  beforeEach(async () => {
    await setStaff(first, { role: 'owner', status: 'active' })
    await setStaff(second, { role: 'owner', status: 'active' })
    await api.database.sql.query('UPDATE account SET deletion_scheduled_at = NULL WHERE school_id = $1', [api.school.id])
  })

  const staffSql = `school_id = $1 AND person_id = (SELECT id FROM person WHERE school_id = $1 AND email = $2)`
  const setStaff = (email: string, { role, status }: { role: string; status: string }) =>
    api.database.sql.query(`UPDATE staff SET role = $3, status = $4 WHERE ${staffSql}`, [api.school.id, email, role, status])
  const staffId = async (email: string): Promise<string> => {
    const [row] = await api.database.sql.query<{ id: string }>(`SELECT id FROM staff WHERE ${staffSql}`, [api.school.id, email])
    return toPublicId('stf', String(row?.id))
  }
  const call = (method: string, path: string, as: string, body?: object): Promise<Reply> =>
    api.send(`/api/v1${path}`, { method, as, ...(body && { body }) })

  /** The requests that remove the second owner. */
  const removals: [string, () => Promise<Reply>][] = [
    ['their account is deleted', () => call('DELETE', '/account', second)],
    ['they are taken off the staff', () => call('DELETE', `/school/staff/${secondId}`, first)],
    ['they get another role', () => call('PATCH', `/school/staff/${secondId}`, first, { role: 'admin' })],
  ]

  test.each(removals)('one of two owners can go: %s', async (_how, remove) => {
    expect((await remove()).status).toBeLessThan(300)
  })

  test.each(removals)('an owner who was removed does not count as another owner when %s', async (_how, remove) => {
    // The first one may still act on a request that began before they were removed.
    const reply = await whileRemoving(first, remove)
    expect([reply.status, reply.json.error]).toEqual([409, 'last_owner'])
  })

  test('an owner who was removed earlier does not count', async () => {
    await setStaff(first, { role: 'owner', status: 'removed' })
    const reply = await call('DELETE', '/account', second)
    expect([reply.status, reply.json.error]).toEqual([409, 'last_owner'])
  })

  test('other changes of the school go on while an owner is changed', async () => {
    const reply = await api.database.transaction(async (writer) => {
      await lockOwners(inSchool(writer, api.school.id))
      return await call('POST', '/courses', first, { title: 'Made meanwhile' })
    })
    expect(reply.status).toBe(201)
  })

  /** Removes an owner in a transaction that stays open until the other request waits for it or has its response. */
  async function whileRemoving(email: string, ask: () => Promise<Reply>): Promise<Reply> {
    const asked = await api.database.transaction(async (writer, sql) => {
      await lockOwners(inSchool(writer, api.school.id))
      await sql.query(`UPDATE staff SET status = 'removed' WHERE ${staffSql}`, [api.school.id, email])
      let isAnswered = false
      const reply = ask().finally(() => {
        isAnswered = true
      })
      await until(
        async () => {
          await sql.query('SELECT pg_stat_clear_snapshot()')
          const waiting = await sql.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`,
          )
          return isAnswered || waiting.length > 0
        },
        { what: 'a request that waits for the owners' },
      )
      return { reply }
    })
    return await asked.reply
  }
})
