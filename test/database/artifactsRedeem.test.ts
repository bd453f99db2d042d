import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sql } from '../../src/database/connection/sql.ts'
import type { Artifact } from '../../src/identity/tokens/artifacts.ts'
import { type DatabaseArtifacts, databaseArtifacts } from '../../src/identity/tokens/databaseArtifacts.ts'
import { type DatabaseStore, databaseStores, newGrantIn } from './artifactStores.ts'

const day = 86_400

for (const { name, open } of await databaseStores()) {
  describe(`redemption in ${name}`, () => {
    let store: DatabaseStore
    let sql: Sql
    let artifacts: DatabaseArtifacts
    const schoolId = randomUUID()
    beforeAll(async () => {
      store = await open()
      sql = store.sql
      artifacts = databaseArtifacts(sql)
    })
    afterAll(() => store.drop())

    const token = (more: Partial<Artifact> = {}): Artifact => ({
      schoolId,
      model: 'RefreshToken',
      id: randomUUID(),
      payload: '{}',
      expiresInSeconds: 600,
      ...more,
    })
    const auditOf = (requestId: string) =>
      sql.query<Record<string, unknown>>('SELECT * FROM audit_log WHERE school_id = $1 AND request_id = $2', [schoolId, requestId])
    const grantRow = async (id: string) =>
      (
        await sql.query<{ last_used_at: Date | null; expires_at: Date }>(
          'SELECT last_used_at, expires_at FROM oidc_grant WHERE school_id = $1 AND id = $2',
          [schoolId, id],
        )
      )[0]

    test('exactly one of 50 callers over two pools wins; the losers write nothing and immediately read its successor', async () => {
      const others = databaseArtifacts(store.another)
      const grant = await newGrantIn(sql, schoolId)
      const spent = token(grant)
      await artifacts.save(spent)
      const requestId = randomUUID()
      const attempts = await Promise.all(
        Array.from({ length: 50 }, async (_, caller) => {
          const mine = caller % 2 ? artifacts : others
          const save = [token(grant), token({ ...grant, model: 'AccessToken' })]
          const won = await mine.redeem({
            schoolId,
            consume: { ...spent, successor: `sealed ${caller}`, successorSeconds: 60 },
            save,
            touchGrant: { grantId: grant.grantId },
            audit: [{ school_id: schoolId, event: 'token.issued' as const, request_id: requestId }],
          })
          return { caller, won, save, seen: (await mine.find(spent))?.successor }
        }),
      )
      const [winner, ...more] = attempts.filter(({ won }) => won)
      expect(more).toEqual([])
      expect(attempts.map(({ seen }) => seen)).toEqual(attempts.map(() => `sealed ${winner?.caller}`))
      for (const { won, save } of attempts) {
        for (const written of save) expect((await artifacts.find(written)) !== undefined).toBe(won)
      }
      expect(await auditOf(requestId)).toHaveLength(1)
    })

    test('writes tokens, successor, use of the grant and audit together, as given', async () => {
      const grant = await newGrantIn(sql, schoolId, { expiresInSeconds: day })
      const spent = token(grant)
      const fresh = token({ ...grant, accountId: randomUUID(), payload: '{"text":"ü \\u0000 \\ud800 学 \' \\\\"}' })
      await artifacts.save(spent)
      const requestId = randomUUID()
      expect(
        await artifacts.redeem({
          schoolId,
          consume: { ...spent, successor: 'sealed', successorSeconds: 60 },
          save: [fresh],
          touchGrant: { grantId: grant.grantId },
          audit: [
            {
              school_id: schoolId,
              event: 'refresh_token.answered_again',
              request_id: requestId,
              client_id: grant.clientId,
              details: { agent: 'nul \0 and half \ud800 "quoted"', n: 1 },
            },
          ],
        }),
      ).toBe(true)
      expect(await artifacts.find(fresh)).toMatchObject({ payload: fresh.payload, grantId: grant.grantId, accountId: fresh.accountId })
      expect(await artifacts.find(spent)).toMatchObject({ consumedAt: expect.any(Date), successor: 'sealed' })
      expect(await auditOf(requestId)).toMatchObject([
        {
          event: 'refresh_token.answered_again',
          client_id: grant.clientId,
          grant_id: null,
          at: expect.any(Date),
          details: { agent: 'nul \ufffd and half \ufffd "quoted"', n: 1 },
        },
      ])
      const row = await grantRow(grant.grantId)
      expect(row?.last_used_at).toBeInstanceOf(Date)
      expect(row?.expires_at.getTime()).toBeLessThanOrEqual(Date.now() + day * 1000)
    })

    test('writes without a consumption too, and nothing for what has gone, expired or was consumed', async () => {
      const [gone, expired, consumed] = [token(), token({ expiresInSeconds: -1 }), token()]
      await artifacts.save(expired)
      await artifacts.save(consumed)
      await artifacts.consume(consumed)
      for (const consume of [gone, expired, consumed]) {
        const fresh = token()
        const requestId = randomUUID()
        const audit = [{ school_id: schoolId, event: 'token.issued' as const, request_id: requestId }]
        expect(await artifacts.redeem({ schoolId, consume, save: [fresh], audit })).toBe(false)
        expect(await artifacts.find(fresh)).toBeUndefined()
        expect(await auditOf(requestId)).toEqual([])
      }
      const fresh = token()
      expect(await artifacts.redeem({ schoolId, save: [fresh], audit: [] })).toBe(true)
      expect(await artifacts.find(fresh)).toBeDefined()
      expect(await artifacts.redeem({ schoolId, save: [], audit: [] })).toBe(true)
    })

    test('a failure of one part undoes all', async () => {
      const [spent, valid] = [token(), token()]
      await artifacts.save(spent)
      await artifacts.save(valid)
      await expect(artifacts.redeem({ schoolId, consume: spent, save: [token(), valid], audit: [] })).rejects.toThrow()
      expect(await artifacts.consume(spent)).toBe(true)
    })

    test('refuses to reach into another school', async () => {
      const spent = token()
      await artifacts.save(spent)
      const elsewhere = randomUUID()
      await expect(artifacts.redeem({ schoolId: elsewhere, consume: spent, save: [], audit: [] })).rejects.toThrow('another school')
      await expect(artifacts.redeem({ schoolId: elsewhere, save: [token()], audit: [] })).rejects.toThrow('another school')
      await expect(
        artifacts.redeem({ schoolId: elsewhere, save: [], audit: [{ school_id: schoolId, event: 'token.issued' }] }),
      ).rejects.toThrow('another school')
      expect(await artifacts.consume(spent)).toBe(true)
    })

    test('notes the use of a grant once a minute, never changes its end and never revives it', async () => {
      const { grantId } = await newGrantIn(sql, schoolId, { expiresInSeconds: day })
      const touch = () => artifacts.redeem({ schoolId, save: [], touchGrant: { grantId }, audit: [] })
      const expiresAt = (await grantRow(grantId))?.expires_at
      await touch()
      const first = await grantRow(grantId)
      expect(first).toEqual({ last_used_at: expect.any(Date), expires_at: expiresAt })
      await touch()
      expect(await grantRow(grantId)).toEqual(first)
      await artifacts.endGrant({ schoolId, grantId, grantTag: 'tag' })
      await touch()
      expect((await grantRow(grantId))?.expires_at).toEqual(expiresAt)
    })

    test('a successor cannot be read once its window has passed, and is forgotten then', async () => {
      const spent = [token(), token(), token()]
      for (const [index, consume] of spent.entries()) {
        await artifacts.save(consume)
        await artifacts.redeem({
          schoolId,
          consume: { ...consume, successor: 'sealed', successorSeconds: index < 2 ? 0.05 : 600 },
          save: [],
          audit: [],
        })
      }
      await expect.poll(async () => (await artifacts.find(token({ ...spent[1] })))?.successor, { interval: 20 }).toBeNull()
      expect(await artifacts.forgetSuccessors(1)).toBe(1)
      expect(await artifacts.forgetSuccessors(100)).toBe(1)
      expect(await artifacts.forgetSuccessors(100)).toBe(0)
      expect(
        await sql.query('SELECT id FROM oidc_artifact WHERE school_id = $1 AND successor IS NOT NULL AND id = ANY ($2)', [
          schoolId,
          spent.map(({ id }) => id),
        ]),
      ).toEqual([{ id: spent[2]?.id }])
    })

    test('sweeps what has expired, in batches, with expired grants and what they left, and nothing else', async () => {
      while ((await artifacts.sweep(1000)) > 0);
      const live = await newGrantIn(sql, schoolId)
      const dead = await newGrantIn(sql, schoolId, { expiresInSeconds: -90 * day - 1 })
      const ended = await newGrantIn(sql, schoolId, { expiresInSeconds: -89 * day })
      const kept = token(live)
      await artifacts.save(kept)
      for (let index = 0; index < 3; index += 1) await artifacts.save(token({ expiresInSeconds: -1 }))
      const leftover = token(dead)
      await artifacts.save(leftover)
      // Two of the three expired ones and the artefacts of the grant, then the grant itself.
      expect(await artifacts.sweep(2)).toBe(4)
      expect(await artifacts.sweep(2)).toBe(1)
      expect(await artifacts.sweep(2)).toBe(0)
      expect(await grantRow(dead.grantId)).toBeUndefined()
      // The person can still see what it did.
      expect(await grantRow(ended.grantId)).toBeDefined()
      expect(await grantRow(live.grantId)).toBeDefined()
      expect(await artifacts.find(kept)).toBeDefined()
    })

    test('parallel sweeps remove each row once', async () => {
      for (let index = 0; index < 40; index += 1) await artifacts.save(token({ expiresInSeconds: -1 }))
      const others = databaseArtifacts(store.another)
      let removed = 0
      for (let last = 1; last > 0; ) {
        const counts = await Promise.all([artifacts.sweep(7), others.sweep(7), artifacts.sweep(7)])
        last = counts.reduce((sum, count) => sum + count, 0)
        removed += last
      }
      expect(removed).toBe(40)
    })

    test('an ended grant keeps the time of its first end', async () => {
      const { grantId } = await newGrantIn(sql, schoolId)
      const end = async () => {
        await artifacts.endGrant({ schoolId, grantId, grantTag: 'tag' })
        return await sql.query('SELECT revoked_at FROM oidc_grant WHERE school_id = $1 AND id = $2', [schoolId, grantId])
      }
      const first = await end()
      expect(first).toEqual([{ revoked_at: expect.any(Date) }])
      expect(await end()).toEqual(first)
    })

    test('hides what names a grant or client that does not exist, and a grant that has expired', async () => {
      const expired = await newGrantIn(sql, schoolId, { expiresInSeconds: -1 })
      const live = await newGrantIn(sql, schoolId)
      for (const more of [{ grantId: randomUUID() }, { clientId: randomUUID() }, expired, { ...live, clientId: randomUUID() }]) {
        const hidden = token(more)
        await artifacts.save(hidden)
        expect(await artifacts.find(hidden)).toBeUndefined()
      }
    })

    test('revoking a grant while its tokens are refreshed never deadlocks and leaves nothing to find', async () => {
      for (let round = 0; round < 10; round += 1) {
        const grant = await newGrantIn(sql, schoolId)
        const spent = Array.from({ length: 6 }, () => token(grant))
        for (const each of spent) await artifacts.save(each)
        const fresh = spent.map(() => token(grant))
        await Promise.all([
          ...spent.map((consume, index) =>
            artifacts.redeem({ schoolId, consume, save: fresh.slice(index, index + 1), touchGrant: { grantId: grant.grantId }, audit: [] }),
          ),
          artifacts.endGrant({ schoolId, ...grant }),
          artifacts.endClient({ schoolId, ...grant }),
          artifacts.sweep(10),
        ])
        for (const each of [...spent, ...fresh]) expect(await artifacts.find(each)).toBeUndefined()
      }
    })
  })
}
