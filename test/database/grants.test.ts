import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findGrant, saveGrant } from '../../src/database/tables/grants.ts'
import { type DatabaseStore, databaseStores, newGrantIn } from './artifactStores.ts'

describe.each((await databaseStores()).slice(-1))('a grant in $name', ({ open }) => {
  let store: DatabaseStore
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.drop())

  test('a revoked grant stays revoked when it is saved again, with its tokens', async () => {
    const { sql, kysely } = store
    const schoolId = randomUUID()
    const { clientId } = await newGrantIn(sql, schoolId)
    const [account] = await sql.query<{ id: string }>('SELECT id FROM account WHERE school_id = $1', [schoolId])
    const grant = { schoolId, id: randomUUID(), accountId: account?.id as string, clientId, expiresInSeconds: 3600 }
    await saveGrant(kysely, { ...grant, payload: { value: 'first' } })
    await saveGrant(kysely, { ...grant, payload: { value: 'second' } })
    expect(await findGrant(kysely, schoolId, grant.id)).toEqual({ value: 'first', exp: expect.any(Number) })
    await sql.query('UPDATE oidc_grant SET revoked_at = now() WHERE school_id = $1 AND id = $2', [schoolId, grant.id])
    await saveGrant(kysely, { ...grant, payload: { value: 'third' } })
    expect(await findGrant(kysely, schoolId, grant.id)).toBeUndefined()
    const [row] = await sql.query('SELECT payload, revoked_at FROM oidc_grant WHERE school_id = $1 AND id = $2', [schoolId, grant.id])
    expect(row).toEqual({ payload: { value: 'first' }, revoked_at: expect.any(Date) })
  })

  test('a new grant is stored with its audit row, and is audited once if it is saved twice', async () => {
    const { sql, kysely } = store
    const schoolId = randomUUID()
    const { clientId } = await newGrantIn(sql, schoolId)
    const [account] = await sql.query<{ id: string }>('SELECT id FROM account WHERE school_id = $1', [schoolId])
    const grant = { schoolId, id: randomUUID(), accountId: account?.id as string, clientId, payload: {}, expiresInSeconds: 3600 }
    const entry = {
      school_id: schoolId,
      event: 'consent.granted' as const,
      account_id: grant.accountId,
      client_id: clientId,
      grant_id: grant.id,
      request_id: 'req_1',
      address: '192.0.2.1',
      details: { granted: 'openid\0' },
    }
    const logged = () =>
      sql.query(
        'SELECT school_id, event, account_id, client_id, grant_id, request_id, address, details FROM audit_log WHERE grant_id = $1',
        [grant.id],
      )
    await expect(saveGrant(kysely, { ...grant, accountId: randomUUID() }, entry)).rejects.toThrow()
    expect(await logged()).toEqual([])
    await Promise.all([saveGrant(kysely, grant, entry), saveGrant(kysely, grant, { ...entry, details: { granted: 'another choice' } })])
    await saveGrant(kysely, grant, entry)
    expect(await logged()).toEqual([{ ...entry, details: expect.anything() }])
  })
})
