import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Sql } from '../../src/database/connection/sql.ts'
import type { Artifact } from '../../src/identity/tokens/artifacts.ts'
import { databaseArtifacts } from '../../src/identity/tokens/databaseArtifacts.ts'
import { availableServices } from '../support/databases.ts'
import { databaseStores, newGrantIn } from './artifactStores.ts'

const { postgresql } = await availableServices()
const refreshes = 60
/** Texts of the size of those that the authorization server stores, which PostgreSQL cannot compress. */
const [sealed, payload] = [randomBytes(1900).toString('base64url'), randomBytes(350).toString('base64url')]

interface PlanNode {
  'Node Type': string
  'WAL Bytes': number
  'WAL FPI': number
  Plans?: PlanNode[]
}

/** The nodes that write. The figures of the whole plan leave out what nothing reads. */
const writing = (node: PlanNode): PlanNode[] => [
  ...(node['Node Type'] === 'ModifyTable' ? [node] : []),
  ...(node.Plans ?? []).flatMap(writing),
]

describe.runIf(postgresql)('the write of a refresh', () => {
  test('the write-ahead log of a refresh has at most 1,400 bytes with the response in Redis', async () => {
    const [, server] = await databaseStores()
    if (!server) throw new Error('PostgreSQL is missing')
    const { sql, drop } = await server.open()
    try {
      const schoolId = randomUUID()
      const grant = await newGrantIn(sql, schoolId)
      const token = (): Artifact => ({
        schoolId,
        model: 'RefreshToken',
        id: randomUUID(),
        ...grant,
        accountId: randomUUID(),
        payload,
        expiresInSeconds: 3600,
      })
      const sizes: number[] = []
      // Runs each statement and reads what it wrote, except the copies of whole pages that follow a checkpoint.
      const measuring: Sql = {
        async query(text, values) {
          const [row] = await sql.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`EXPLAIN (ANALYZE, WAL, FORMAT JSON) ${text}`, values)
          const nodes = (row?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => writing(Plan))
          if (nodes.every((node) => node['WAL FPI'] === 0)) sizes.push(nodes.reduce((sum, node) => sum + node['WAL Bytes'], 0))
          return []
        },
      }
      const medianOf = async (successor: { successor: string; successorSeconds?: number }): Promise<number> => {
        sizes.length = 0
        let used = token()
        await databaseArtifacts(sql).save(used)
        for (let sent = 0; sent < refreshes; sent += 1) {
          const next = token()
          await databaseArtifacts(measuring).redeem({ schoolId, consume: { ...used, ...successor }, save: [next], audit: [] })
          used = next
        }
        expect(sizes.length).toBeGreaterThan(refreshes / 2)
        return sizes.toSorted((one, other) => one - other)[Math.floor(sizes.length / 2)] ?? 0
      }
      const inRedis = await medianOf({ successor: 'sixteen-letters-' })
      expect(inRedis).toBeLessThan(1400)
      // The measurement sees a response in the row.
      expect(await medianOf({ successor: sealed, successorSeconds: 60 })).toBeGreaterThan(inRedis + sealed.length)
    } finally {
      await drop()
    }
  })
})
