import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Sql } from '../../src/database/connection/sql.ts'
import type { Artifact } from '../../src/identity/tokens/artifacts.ts'
import { databaseArtifacts } from '../../src/identity/tokens/databaseArtifacts.ts'
import { databaseStores } from './artifactStores.ts'

for (const { name, open } of await databaseStores()) {
  describe(`look-up of tokens in ${name}`, () => {
    test('a token is read and redeemed by its key, also while the database has no statistics about a school with many tokens', async () => {
      const { sql, drop } = await open()
      try {
        const schoolId = randomUUID()
        const [key, ...others] = Array.from(
          { length: 300 },
          (): Artifact => ({
            schoolId,
            model: 'RefreshToken',
            id: randomUUID(),
            accountId: randomUUID(),
            payload: '{}',
            expiresInSeconds: 600,
          }),
        )
        if (!key) throw new Error('no token')
        await databaseArtifacts(sql).redeem({ schoolId, save: [key, ...others], audit: [] })

        const plans: string[] = []
        const explained: Sql = {
          async query(text, values) {
            const rows = await sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
            plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
            return []
          },
        }
        const artifacts = databaseArtifacts(explained)
        await artifacts.find(key)
        await artifacts.redeem({ schoolId, consume: key, save: [], audit: [] })
        // It expects a row, which a plan does not return.
        await artifacts.mintingFacts({ schoolId, clientId: undefined, artifact: key }).catch(() => undefined)

        expect(plans).toHaveLength(3)
        for (const plan of plans) {
          expect(plan).toContain('using oidc_artifact_pkey')
          expect(plan).not.toMatch(/oidc_artifact_(?!pkey|\d\b)/)
        }
      } finally {
        await drop()
      }
    })
  })
}
