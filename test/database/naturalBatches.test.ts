import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sql } from '../../src/database/connection/sql.ts'
import { naturalBatches } from '../../src/database/statements/naturalBatches.ts'
import { auditWriter } from '../../src/database/tables/audit.ts'
import type { Artifact } from '../../src/identity/tokens/artifacts.ts'
import { databaseArtifacts } from '../../src/identity/tokens/databaseArtifacts.ts'
import { readMintingFactsTogether } from '../../src/identity/tokens/mintingRows.ts'
import { redeemTogether } from '../../src/identity/tokens/redeemTogether.ts'
import { clientRegistration } from '../../src/identity/tokens/registerClient.ts'
import { type DatabaseStore, databaseStores, type GrantOfTest, newGrantIn } from './artifactStores.ts'

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

test('work that arrives while nothing runs starts alone, and what arrives meanwhile forms one batch', async () => {
  const batches: number[][] = []
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const run = naturalBatches<number, number>({
    async alone(item) {
      batches.push([item])
      await gate
      return item
    },
    async together(items) {
      batches.push([...items])
      return [...items]
    },
  })
  const all = Promise.all(range(6).map(run))
  open()
  expect(await all).toEqual(range(6))
  expect(batches).toEqual([[0], [1, 2, 3, 4, 5]])
})

test('a batch that waits does not keep later work waiting', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<number>()
  const run = naturalBatches<number, number>({
    alone: (item) => (item === 0 ? gate : Promise.resolve(item)),
    together: async (items) => [...items],
  })
  const first = run(0)
  expect(await Promise.all([run(1), run(2)])).toEqual([1, 2])
  open(0)
  expect(await first).toBe(0)
})

test.each([
  ['runs alone after a failed batch, and one bad item fails alone', new Error('bad item'), [1, 'bad item', 3], 3],
  [
    'is not repeated after a lost connection',
    new Error('Connection terminated unexpectedly'),
    Array(3).fill('Connection terminated unexpectedly'),
    0,
  ],
])('an item %s', async (_name, failure, expected, repeated) => {
  let aloneAfterBatch = 0
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const run = naturalBatches<number, number>({
    async alone(item) {
      if (item === 0) await gate
      else aloneAfterBatch += 1
      if (item === 2) throw failure
      return item
    },
    together: () => Promise.reject(failure),
  })
  const first = run(0)
  const others = Promise.allSettled([run(1), run(2), run(3)])
  open()
  await first
  const outcomes = (await others).map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message))
  expect(outcomes).toEqual(expected)
  expect(aloneAfterBatch).toBe(repeated)
})

for (const { name, open } of await databaseStores()) {
  describe(`batches in ${name}`, () => {
    const schoolId = randomUUID()
    let store: DatabaseStore
    let sent: string[]
    let sql: Sql
    let grant: GrantOfTest
    beforeAll(async () => {
      store = await open()
      sql = {
        query(text, values, statementName) {
          sent.push(statementName ?? text)
          return store.sql.query(text, values, statementName)
        },
      }
      grant = await newGrantIn(store.sql, schoolId)
    })
    afterAll(() => store.drop())

    const token = (more: Partial<Artifact> = {}): Artifact => ({
      schoolId,
      model: 'RefreshToken',
      id: randomUUID(),
      ...grant,
      accountId: randomUUID(),
      payload: '{"scope":"openid"}',
      expiresInSeconds: 3600,
      ...more,
    })
    const newTokens = async (count: number): Promise<Artifact[]> => {
      const tokens = range(count).map(() => token())
      await Promise.all(tokens.map((one) => databaseArtifacts(store.sql).save(one)))
      return tokens
    }

    test('concurrent redemptions share statements, each wins, and all is written', async () => {
      const artifacts = databaseArtifacts(sql)
      const used = await newTokens(20)
      const fresh = used.map(() => token())
      sent = []
      const audit = (at: number) => [{ school_id: schoolId, event: 'token.issued' as const, request_id: `batch ${at}` }]
      const won = await Promise.all(
        used.map((consume, at) =>
          artifacts.redeem({
            schoolId,
            consume: { ...consume, successor: `answer ${at}` },
            save: fresh.slice(at, at + 1),
            touchGrant: { grantId: grant.grantId },
            audit: audit(at),
          }),
        ),
      )
      expect(won).toEqual(Array(20).fill(true))
      expect(sent).toEqual(['artifact_redeem_logged', 'artifacts_redeem_logged'])
      for (const [at, one] of used.entries())
        expect(await artifacts.find(one)).toMatchObject({ payload: '', consumedAt: expect.any(Date), successor: `answer ${at}` })
      for (const one of fresh) expect(await artifacts.find(one)).toMatchObject({ payload: one.payload, grantId: grant.grantId })
      const logged = await store.sql.query(`SELECT 1 FROM audit_log WHERE school_id = $1 AND request_id LIKE 'batch %'`, [schoolId])
      expect(logged).toHaveLength(20)
    })

    test('of concurrent uses of one token or code exactly one wins, also within one batch', async () => {
      const artifacts = [databaseArtifacts(store.sql), databaseArtifacts(store.another)]
      const [shared] = await newTokens(1)
      const code = { schoolId, model: 'AuthorizationCode', id: randomUUID(), knownSeconds: 60, owner: grant }
      const each = async (what: object): Promise<number> => {
        const fresh = range(30).map(() => token())
        const won = await Promise.all(fresh.map((one, at) => artifacts[at % 2]?.redeem({ schoolId, ...what, save: [one], audit: [] })))
        const found = await Promise.all(fresh.map((one) => artifacts[0]?.find(one)))
        expect(found.map((one) => one !== undefined)).toEqual(won)
        return won.filter(Boolean).length
      }
      expect(await each({ consume: shared })).toBe(1)
      expect(await each({ consume: code })).toBe(1)
    })

    test('two processes that use the same tokens in opposite orders finish, and each token is used once', async () => {
      const artifacts = [databaseArtifacts(store.sql), databaseArtifacts(store.another)]
      for (let round = 0; round < 5; round += 1) {
        const tokens = await newTokens(12)
        const won = await Promise.all(
          artifacts.flatMap((one, at) =>
            (at === 0 ? tokens : tokens.toReversed()).map((consume) => one.redeem({ schoolId, consume, save: [token()], audit: [] })),
          ),
        )
        expect(won.filter(Boolean)).toHaveLength(12)
      }
    })

    test('a redemption that fails fails alone', async () => {
      const artifacts = databaseArtifacts(store.sql)
      const used = await newTokens(6)
      const taken = token()
      await artifacts.save(taken)
      const outcomes = await Promise.allSettled(
        used.map((consume, at) => artifacts.redeem({ schoolId, consume, save: [at === 3 ? taken : token()], audit: [] })),
      )
      expect(outcomes.map(({ status }) => status)).toEqual(range(6).map((at) => (at === 3 ? 'rejected' : 'fulfilled')))
      expect(await artifacts.consume(used[3] ?? token())).toBe(true)
    })

    test('concurrent revocations share a statement: every grant and token ends, once, with its audit entry', async () => {
      const grants = await Promise.all(range(9).map(() => newGrantIn(store.sql, schoolId)))
      const of = ({ grantId }: GrantOfTest): Artifact => ({ ...token(), grantId })
      const tokens = grants.map(of)
      for (const one of tokens) await databaseArtifacts(sql).save(one)
      sent = []
      const processes = [databaseArtifacts(sql), databaseArtifacts(store.another)]
      const ending = (grantId: string, at: number) => ({
        ended: { schoolId, grantId, grantTag: '' },
        request: `revocation ${grantId} ${at}`,
      })
      await Promise.all(
        processes.flatMap((one, at) =>
          (at === 0 ? grants : grants.toReversed()).map(({ grantId }) => {
            const { ended, request } = ending(grantId, at)
            return one.endGrant(ended, [{ school_id: schoolId, event: 'token.revoked', grant_id: grantId, request_id: request }])
          }),
        ),
      )
      expect(sent.filter((statement) => statement.startsWith('artifact'))).toEqual(['artifact_end_grant', 'artifacts_end_grants'])
      const ids = grants.map(({ grantId }) => grantId)
      const ended = await store.sql.query<{ id: string }>('SELECT id FROM oidc_grant WHERE id = ANY ($1) AND revoked_at IS NOT NULL', [ids])
      expect(ended.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
      for (const one of tokens) expect(await processes[0]?.find(one)).toBe(undefined)
      expect(await store.sql.query('SELECT 1 FROM oidc_artifact WHERE grant_id = ANY ($1)', [ids])).toEqual([])
      expect(
        await store.sql.query(`SELECT 1 FROM audit_log WHERE request_id LIKE 'revocation %' AND grant_id = ANY ($1)`, [ids]),
      ).toHaveLength(18)
    })

    test('facts that are read together are those that are read alone', async () => {
      const tokens = await newTokens(6)
      const queries = [
        ...tokens.map((artifact) => ({ schoolId, clientId: grant.clientId, artifact })),
        { schoolId, clientId: undefined, artifact: token() },
        { schoolId, clientId: randomUUID(), grantId: grant.grantId, accountId: randomUUID() },
        { schoolId: randomUUID(), clientId: grant.clientId, artifact: tokens[0] },
      ]
      const alone = []
      for (const query of queries) alone.push(await databaseArtifacts(store.sql).mintingFacts(query))
      sent = []
      const artifacts = databaseArtifacts(sql)
      expect(await Promise.all(queries.map((query) => artifacts.mintingFacts(query)))).toEqual(alone)
      expect(sent).toEqual(['minting_facts', 'minting_facts_of_several'])
      expect(alone[0]).toMatchObject({ artifact: { grantId: grant.grantId }, grantId: grant.grantId, client: { registered_via: 'self' } })
    })

    test.runIf(name === 'PostgreSQL')('PostgreSQL keeps the plan of each batch, whatever its size', async () => {
      const tokens = await newTokens(90)
      // One after the other, the statements use one connection.
      for (let size = 2; size < 14; size += 1) {
        const used = tokens.splice(0, size)
        await redeemTogether(
          store.sql,
          used.map((consume) => ({ schoolId, consume, save: [token()], audit: [] })),
        )
        await readMintingFactsTogether(
          store.sql,
          used.map((artifact) => ({ schoolId, clientId: grant.clientId, artifact })),
        )
      }
      const plans = await store.sql.query<{ name: string; generic_plans: string; custom_plans: string }>(
        `SELECT name, generic_plans, custom_plans FROM pg_prepared_statements WHERE name IN ('artifacts_redeem', 'minting_facts_of_several')`,
      )
      expect(plans).toHaveLength(2)
      for (const plan of plans) expect(Number(plan.generic_plans)).toBeGreaterThan(Number(plan.custom_plans))
    })

    test('concurrent registrations and audit entries share statements, and one bad registration fails alone', async () => {
      const register = clientRegistration(sql)
      sent = []
      const ids = range(8).map((at) => (at === 5 ? grant.clientId : randomUUID()))
      const outcomes = await Promise.allSettled(
        ids.map((id) =>
          register({
            schoolId,
            id,
            metadata: { client_name: 'nul \0 and half \ud800' },
            audit: [{ school_id: schoolId, event: 'client.registered', client_id: id }],
          }),
        ),
      )
      expect(outcomes.map(({ status }) => status)).toEqual(range(8).map((at) => (at === 5 ? 'rejected' : 'fulfilled')))
      const rows = await store.sql.query<{ metadata: object }>(
        `SELECT metadata FROM oidc_client c JOIN audit_log l ON l.school_id = c.school_id AND l.client_id = c.id AND l.event = 'client.registered'
          WHERE c.school_id = $1`,
        [schoolId],
      )
      expect(rows).toHaveLength(7)
      expect(rows[0]?.metadata).toEqual({ client_name: 'nul \ufffd and half \ufffd' })

      sent = []
      const write = auditWriter(sql)
      await Promise.all(range(9).map((at) => write([{ school_id: schoolId, event: 'token.refused', request_id: `together ${at}` }])))
      expect(sent).toEqual(['audit_record', 'audit_record'])
      expect(
        await store.sql.query(`SELECT 1 FROM audit_log WHERE request_id LIKE 'together %' AND school_id = $1`, [schoolId]),
      ).toHaveLength(9)
    })
  })
}
