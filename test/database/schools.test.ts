import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ensureSchools } from '../../src/database/tables/schools.ts'
import { listGrantedContents, listSchoolApps } from '../../src/identity/apps/storedApps.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { newGrantIn } from './artifactStores.ts'

describe.each(await databasesToTest())('the rows of schools on $name', ({ open }) => {
  const opened = duringTests(open)

  test.each([1, 500, 501])('%i new schools get one row each, once, also where a statement is exactly full', async (count) => {
    const defaults = { name: 'School', locale: 'en', time_zone: 'UTC', currency: 'EUR' }
    const schools = Array.from({ length: count }, (_, at) => ({ slug: `one-of-${count}-${at}`, ...defaults }))
    const ids = await ensureSchools(opened.database.kysely, schools)
    expect(new Set(ids.values()).size).toBe(count)
    expect(await ensureSchools(opened.database.kysely, schools)).toEqual(ids)
  })
})

describe.each(await databasesToTest())('the apps of a school on $name', ({ open }) => {
  const opened = duringTests(open)

  test('have the grants of the school alone, although the document of an app has the same address everywhere', async () => {
    const { sql, kysely } = opened.database
    const [here, elsewhere] = [randomUUID(), randomUUID()]
    const client = { clientId: 'https://app.example/client.json', clientTag: randomUUID() }
    for (const schoolId of [here, elsewhere, elsewhere]) await newGrantIn(sql, schoolId, { client })
    await sql.query(`UPDATE oidc_grant SET last_used_at = now(), payload = '{"openid":{"scope":"openid"}}'`)
    await sql.query(`UPDATE oidc_grant SET payload = '{"openid":{"scope":"openid email"}}' WHERE school_id = $1`, [elsewhere])
    expect(await listSchoolApps(kysely, here, { kind: 'connected', offset: 0, limit: 10 })).toMatchObject([
      { id: client.clientId, people: 1, grants: 1 },
    ])
    expect(await listGrantedContents(kysely, here, [client.clientId])).toEqual([
      { client_id: client.clientId, payload: { openid: { scope: 'openid' } } },
    ])
  })
})
