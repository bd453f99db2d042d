import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { accountFact, clientFact, contentFact, type Fact, grantFact, nameOfFact, schoolFact } from '../../src/database/facts/fact.ts'
import { createFactGuard, type FactMarkers } from '../../src/database/facts/factGuard.ts'
import { databaseArtifacts } from '../../src/identity/tokens/databaseArtifacts.ts'
import { everyDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { newSchool } from '../support/rows.ts'
import { newGrantIn } from './artifactStores.ts'

describe.each(await everyDatabase())('changes of facts in the $name database', ({ open }) => {
  const schoolId = randomUUID()
  const held = duringTests(open)
  let steps: string[] = []
  /** Changes of accounts are often also changes of content. */
  let isContentMarked = false
  const markers: FactMarkers = {
    async begin(marked) {
      const facts = marked.filter(({ kind }) => isContentMarked || kind !== 'content')
      if (facts.length === 0) return { end: async () => undefined }
      const names = facts.map(nameOfFact).toSorted().join(', ')
      steps.push(`begin ${names}`)
      return { end: async () => void steps.push(`end ${names}`) }
    },
  }
  beforeAll(() => {
    held.database.facts.useMarkers(markers)
  })

  /** Returns what was marked while `work` ran. */
  async function marked(work: () => Promise<unknown>): Promise<string[]> {
    steps = []
    await work()
    return steps
  }
  const change = (text: string, values: unknown[]) => () => held.database.transaction((_writer, sql) => sql.query(text, values))
  const both = (fact: Fact) => [`begin ${nameOfFact(fact)}`, `end ${nameOfFact(fact)}`]

  test('grants that end together in one statement are marked by their requests alone', async () => {
    const { sql, facts } = held.database
    const grants = await Promise.all(Array.from({ length: 6 }, () => newGrantIn(sql, schoolId)))
    const artifacts = databaseArtifacts(sql, facts)
    const steps = await marked(() =>
      Promise.all(
        grants.map(({ grantId }) =>
          facts.changing([grantFact(schoolId, grantId)], () => artifacts.endGrant({ schoolId, grantId, grantTag: '' })),
        ),
      ),
    )
    expect(steps.toSorted()).toEqual(grants.flatMap(({ grantId }) => both(grantFact(schoolId, grantId))).toSorted())
  })

  test('each change that the check of a token depends on is marked before and after the commit', async () => {
    const { grantId, clientId } = await newGrantIn(held.database.sql, schoolId)
    const [row] = await held.database.sql.query<{ account_id: string }>('SELECT account_id FROM oidc_grant WHERE id = $1', [grantId])
    const accountId = row?.account_id as string
    const account = accountFact(schoolId, accountId)
    const [personId, staffId, fileId] = [randomUUID(), randomUUID(), randomUUID()]
    await held.database.sql.query(
      `INSERT INTO file (school_id, id, filename, content_type, bytes, purpose, visibility, status, storage_key)
       VALUES ($1, $2::uuid, 'me.png', 'image/png', 1, 'avatar', 'public', 'pending', $2::text)`,
      [schoolId, fileId],
    )
    const changes: [text: string, values: unknown[], fact: Fact][] = [
      ['UPDATE account SET avatar_file_id = $2 WHERE id = $1', [accountId, fileId], account],
      [`UPDATE file SET status = 'ready' WHERE id = $1`, [fileId], account],
      [`UPDATE file SET status = 'deleted' WHERE id = $1`, [fileId], account],
      [
        `INSERT INTO person (school_id, id, account_id, email, name) VALUES ($1, $2, $3, 'juno@example.org', 'Juno')`,
        [schoolId, personId, accountId],
        account,
      ],
      [`INSERT INTO staff (school_id, id, person_id, role) VALUES ($1, $2, $3, 'admin')`, [schoolId, staffId, personId], account],
      [`UPDATE staff SET role = 'owner' WHERE id = $1`, [staffId], account],
      [`UPDATE staff SET status = 'removed' WHERE id = $1`, [staffId], account],
      ['DELETE FROM staff WHERE id = $1', [staffId], account],
      ['UPDATE person SET account_id = NULL WHERE id = $1', [personId], account],
      ['UPDATE person SET account_id = $2 WHERE id = $1', [personId, accountId], account],
      ['DELETE FROM person WHERE id = $1', [personId], account],
      ...['email = $2', 'name = $2', 'given_name = $2', 'family_name = $2', 'locale = $2', 'time_zone = $2'].map(
        (set): [string, unknown[], Fact] => [`UPDATE account SET ${set} WHERE id = $1`, [accountId, 'changed'], account],
      ),
      ...['email_verified = true', 'disabled_at = now()', 'deletion_scheduled_at = now()', 'sessions_valid_after = now()'].map(
        (set): [string, unknown[], Fact] => [`UPDATE account SET ${set} WHERE id = $1`, [accountId], account],
      ),
      [`UPDATE oidc_client SET metadata = '{"client_name":"Other"}' WHERE id = $1`, [clientId], clientFact(schoolId, clientId)],
      ['UPDATE oidc_client SET disabled_at = now() WHERE id = $1', [clientId], clientFact(schoolId, clientId)],
      ['DELETE FROM oidc_client WHERE id = $1', [clientId], clientFact(schoolId, clientId)],
      [`UPDATE oidc_grant SET payload = '{"openid":{}}' WHERE id = $1`, [grantId], grantFact(schoolId, grantId)],
      [`UPDATE oidc_grant SET expires_at = expires_at - interval '1 second' WHERE id = $1`, [grantId], grantFact(schoolId, grantId)],
      [`UPDATE oidc_grant SET expires_at = expires_at + interval '1 day' WHERE id = $1`, [grantId], grantFact(schoolId, grantId)],
      ['UPDATE oidc_grant SET revoked_at = now() WHERE id = $1', [grantId], grantFact(schoolId, grantId)],
      ['DELETE FROM oidc_grant WHERE id = $1', [grantId], grantFact(schoolId, grantId)],
      ['DELETE FROM account WHERE id = $1', [accountId], account],
    ]
    for (const [text, values, fact] of changes) expect([text, await marked(change(text, values))]).toEqual([text, both(fact)])
  })

  test('each change of the content is marked, once for all rows of a school', async () => {
    isContentMarked = true
    const { sql } = held.database
    const [one, other] = [await newSchool(sql), await newSchool(sql)]
    const [first, second] = [contentFact(one), contentFact(other)].toSorted((a, b) => (nameOfFact(a) < nameOfFact(b) ? -1 : 1))
    const together = [first, second].map((fact) => fact && nameOfFact(fact)).join(', ')
    const insert = `INSERT INTO page (school_id, id, slug, title, draft_title)
      SELECT school.id, gen_random_uuid(), 'page-' || number, 'Title', 'Title' FROM school, generate_series(1, 600) AS number WHERE school.id = ANY($1)`
    const changes: [text: string, values: unknown[]][] = [
      [insert, [[one, other]]],
      [`UPDATE page SET title = 'Other' WHERE school_id = ANY($1)`, [[one, other]]],
      ['DELETE FROM page WHERE school_id = ANY($1)', [[one, other]]],
      [`UPDATE school SET name = 'Other' WHERE id = ANY($1)`, [[one, other]]],
    ]
    for (const [text, values] of changes)
      expect([text, await marked(change(text, values))]).toEqual([text, [`begin ${together}`, `end ${together}`]])
    expect(await marked(() => sql.query(`UPDATE school SET name = 'Outside' WHERE id = $1`, [one]))).toEqual(both(contentFact(one)))
    isContentMarked = false
  })

  test('changes that no check depends on are not marked, and neither is a transaction that is rolled back', async () => {
    const { grantId, clientId } = await newGrantIn(held.database.sql, schoolId)
    const unmarked = [
      'UPDATE oidc_client SET last_used_at = now()',
      `UPDATE oidc_grant SET last_used_at = now(), own_name = 'Laptop'`,
      'UPDATE account SET last_sign_in_at = now()',
    ]
    for (const text of unmarked) expect([text, await marked(change(text, []))]).toEqual([text, []])
    const rolledBack = (): Promise<unknown> =>
      held.database
        .transaction(async (_writer, sql) => {
          await sql.query('UPDATE oidc_grant SET revoked_at = now() WHERE id = $1', [grantId])
          throw new Error('changed my mind')
        })
        .catch(() => undefined)
    expect(await marked(rolledBack)).toEqual([])
    expect(await marked(change('UPDATE oidc_client SET disabled_at = now() WHERE id = $1', [clientId]))).toEqual(
      both(clientFact(schoolId, clientId)),
    )
  })

  test('a script marks its changes too, and many changes are marked as one of the school', async () => {
    const { grantId } = await newGrantIn(held.database.sql, schoolId)
    const revoke = 'UPDATE oidc_grant SET revoked_at = now() WHERE id = $1'
    expect(await marked(() => held.database.script((script) => script.query(revoke, [grantId])))).toEqual(
      both(grantFact(schoolId, grantId)),
    )
    await held.database.sql.query(
      `INSERT INTO account (school_id, id, email, name) SELECT $1, gen_random_uuid(), number || '@many.example', 'Many' FROM generate_series(1, 600) AS number`,
      [schoolId],
    )
    expect(await marked(change(`UPDATE account SET name = 'Few' WHERE name = 'Many'`, []))).toEqual(both(schoolFact(schoolId)))
    expect(await marked(change(`DELETE FROM account WHERE name = 'Few'`, []))).toEqual(both(schoolFact(schoolId)))
  })

  test('a statement outside a transaction is marked around it if its facts were named, and after it otherwise', async () => {
    const { grantId, clientId } = await newGrantIn(held.database.sql, schoolId)
    const [grant, client] = [grantFact(schoolId, grantId), clientFact(schoolId, clientId)]
    const { facts, sql } = held.database
    const revoke = async () => {
      await sql.query('UPDATE oidc_grant SET revoked_at = now() WHERE id = $1', [grantId])
      steps.push('revoked')
    }
    expect(await marked(() => facts.changing([grant], revoke))).toEqual([both(grant)[0], 'revoked', both(grant)[1]])
    const disable = () => sql.query('UPDATE oidc_client SET disabled_at = now() WHERE id = $1', [clientId])
    expect(await marked(disable)).toEqual(both(client))
  })

  test('facts stay busy if it is unknown whether their change was committed', async () => {
    const { grantId } = await newGrantIn(held.database.sql, schoolId)
    const fact = grantFact(schoolId, grantId)
    const failing = () => held.database.facts.changing([fact], () => Promise.reject(new Error('connection lost'))).catch(() => undefined)
    expect(await marked(failing)).toEqual(both(fact).slice(0, 1))
  })
})

test('a change outside a transaction whose facts were not named is reported; one of content is not', async () => {
  const [schoolId, grantId] = [randomUUID(), randomUUID()]
  const late: Fact[] = []
  const watch = createFactGuard('postgresql', (facts) => late.push(...facts)).watch()
  const note = (kind: string) => watch.note({ code: 'SGF01', detail: JSON.stringify([kind, schoolId, grantId]) })
  for (const kind of ['grant', 'content']) note(kind)
  await watch.settle(undefined)
  expect(late).toEqual([grantFact(schoolId, grantId)])
  note('grant')
  await watch.settle(new Set(late.map(nameOfFact)))
  expect(late).toHaveLength(1)
})
