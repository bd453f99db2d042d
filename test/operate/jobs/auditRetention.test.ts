// Proves GDPR Article 5(1)(e): Expired audit entries are deleted, and addresses shortened to their network, in bounded batches

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstIdAt, newId } from '../../../src/base/ids.ts'
import { networkKey } from '../../../src/base/net/networkKey.ts'
import type { Database } from '../../../src/database/connection/database.ts'
import { deleteExpiredAudit, networkOf, shortenAuditAddresses } from '../../../src/database/tables/auditRetention.ts'
import { databasesToTest } from '../../support/databases.ts'
import { startService, type TestService } from '../../support/service.ts'

const dayMs = 86_400_000

describe.each(await databasesToTest())('the retention of the audit trail, $name', ({ open }) => {
  let database: Database
  let service: TestService
  let close: () => Promise<void>
  beforeAll(async () => {
    const opened = await open()
    database = opened.database
    close = opened.drop
    service = await startService({ database, server: { audit: { days: 100, security_days: 200, full_address_days: 10 } } })
  })
  afterAll(async () => {
    await service.stop()
    await close()
  })

  const schoolId = () => service.schoolId()
  async function addEntry(event: string, days: number, address: string | null = null): Promise<void> {
    const at = Date.now() - days * dayMs
    const id = `${firstIdAt(at).slice(0, 19)}${newId().slice(19)}`
    await database.kysely
      .insertInto('audit_log')
      .values({ school_id: schoolId(), id, at: new Date(at), event, address })
      .execute()
  }
  const entries = async (): Promise<string[]> =>
    (await database.sql.query<{ text: string }>(`SELECT event || ' ' || coalesce(address, '-') AS text FROM audit_log ORDER BY id`)).map(
      ({ text }) => text,
    )
  const run = async () => await service.app.jobs.find(({ name }) => name === 'sweep_audit')?.run()

  test('the job deletes entries after their days, those about access later, and shortens older addresses', async () => {
    await database.sql.query('DELETE FROM audit_log')
    for (const days of [201, 199, 101, 99]) {
      await addEntry('consent.granted', days)
      await addEntry('sign_in.failed', days)
      await addEntry('course.created', days)
      await addEntry('staff.role_changed', days)
    }
    await addEntry('sign_in.succeeded', 11, '203.0.113.77')
    await addEntry('sign_in.succeeded', 11, '2001:db8:1:2:3::4')
    await addEntry('sign_in.succeeded', 11, 'unknown')
    await addEntry('sign_in.succeeded', 9, '203.0.113.77')
    expect(await run()).toEqual({ deleted: 8, shortened: 3 })
    expect((await entries()).toSorted()).toEqual(
      [
        ...[199, 101, 99].flatMap(() => ['consent.granted -', 'staff.role_changed -']),
        ...['sign_in.failed -', 'course.created -'],
        ...[
          'sign_in.succeeded 203.0.113.0/24',
          'sign_in.succeeded 2001:db8:1::/48',
          'sign_in.succeeded -',
          'sign_in.succeeded 203.0.113.77',
        ],
      ].toSorted(),
    )
    expect(await run()).toEqual({ deleted: 0, shortened: 0 })
  })

  test('works in batches of a bounded size', async () => {
    await database.sql.query('DELETE FROM audit_log')
    for (let count = 0; count < 5; count += 1) await addEntry('token.issued', 300, `198.51.100.${count}`)
    const limits = { days: 1, security_days: 1, full_address_days: 1, limit: 2 }
    const shortened = []
    for (let round = 0; round < 4; round += 1) shortened.push(await shortenAuditAddresses(database.kysely, schoolId(), limits))
    expect(shortened).toEqual([2, 2, 1, 0])
    const deleted = []
    for (let round = 0; round < 4; round += 1) deleted.push(await deleteExpiredAudit(database.kysely, schoolId(), limits))
    expect(deleted).toEqual([2, 2, 1, 0])
  })
})

test.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2:3::4', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8::/48'],
  ['::1', '::/48'],
  ['fe80::1%eth0', 'fe80::/48'],
  ['not an address', null],
  ['', null],
])('the network of %j is %j, and pages show it unchanged', (address, network) => {
  expect(networkOf(address)).toBe(network)
  if (network !== null) expect(networkKey(network)).toBe(network)
})
