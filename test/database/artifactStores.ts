import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { Reader } from '../../src/database/connection/database.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import type { Sql } from '../../src/database/connection/sql.ts'
import { createRedis } from '../../src/database/redis/redis.ts'
import type { Artifacts } from '../../src/identity/tokens/artifacts.ts'
import { databaseArtifacts } from '../../src/identity/tokens/databaseArtifacts.ts'
import { redisArtifacts } from '../../src/identity/tokens/redisArtifacts.ts'
import { availableServices, embeddedDatabase, throwawayPostgres, throwawayRedis } from '../support/databases.ts'

export interface ClientOfTest {
  clientId: string
  clientTag: string
}

export interface GrantOfTest extends ClientOfTest {
  grantId: string
  grantTag: string
}

export interface ArtifactStore {
  artifacts: Artifacts
  /** A live grant, of a new client or of the client of another grant. */
  newGrant(schoolId: string, client?: ClientOfTest): Promise<GrantOfTest>
  drop(): Promise<void>
}

export interface DatabaseStore {
  sql: Sql
  kysely: Reader
  /** The same database through separate connections, if it can have more than one. */
  another: Sql
  drop(): Promise<void>
}

interface Opens<Store> {
  name: string
  open(): Promise<Store>
}

/** Every database that can be had here. */
export async function databaseStores(): Promise<Opens<DatabaseStore>[]> {
  const { postgresql } = await availableServices()
  return [{ name: 'the embedded database', open: openEmbedded }, ...(postgresql ? [{ name: 'PostgreSQL', open: openPostgresql }] : [])]
}

/** Every form of the artefact store that can be had here. */
export async function artifactStores(): Promise<Opens<ArtifactStore>[]> {
  const { redis } = await availableServices()
  const databases = (await databaseStores()).map(({ name, open }) => ({
    name,
    async open() {
      const { sql, drop } = await open()
      return {
        artifacts: databaseArtifacts(sql),
        newGrant: (schoolId: string, client?: ClientOfTest) => newGrantIn(sql, schoolId, { client }),
        drop,
      }
    },
  }))
  return [...databases, ...(redis ? [{ name: 'Redis', open: openRedis }] : [])]
}

/** A live grant of a live client; with a negative number, one that has run out. */
export async function newGrantIn(
  sql: Sql,
  schoolId: string,
  { expiresInSeconds = 3600, client }: { expiresInSeconds?: number; client?: ClientOfTest | undefined } = {},
): Promise<GrantOfTest> {
  const grant = newGrant(client)
  const accountId = randomUUID()
  await sql.query(
    `INSERT INTO school (id, slug, name, locale, supported_locales, time_zone, currency, contact_email)
     VALUES ($1::uuid, $1::text, 'Lanternfold Academy', 'en', '{en}', 'UTC', 'EUR', 'desk@lanternfold.example') ON CONFLICT DO NOTHING`,
    [schoolId],
  )
  await sql.query(`INSERT INTO account (school_id, id, email, name) VALUES ($1, $2::uuid, $2::text || '@example.org', 'Juno Tindersley')`, [
    schoolId,
    accountId,
  ])
  await sql.query(
    `INSERT INTO oidc_client (school_id, id, registered_via, metadata) VALUES ($1, $2, 'self', '{}') ON CONFLICT DO NOTHING`,
    [schoolId, grant.clientId],
  )
  await sql.query(
    `INSERT INTO oidc_grant (school_id, id, account_id, client_id, payload, expires_at)
     VALUES ($1, $2, $3, $4, '{}', now() + make_interval(secs => $5))`,
    [schoolId, grant.grantId, accountId, grant.clientId, expiresInSeconds],
  )
  return grant
}

function newGrant({ clientId, clientTag }: ClientOfTest = { clientId: randomUUID(), clientTag: randomUUID() }): GrantOfTest {
  return { grantId: randomUUID(), grantTag: randomUUID(), clientId, clientTag }
}

async function openEmbedded(): Promise<DatabaseStore> {
  const { sql, kysely, close } = await embeddedDatabase()
  return { sql, kysely, another: sql, drop: close }
}

async function openPostgresql(): Promise<DatabaseStore> {
  const { url, drop } = await throwawayPostgres()
  const open = () => openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), poolSize: 10 })
  const [database, another] = await Promise.all([open(), open()])
  return {
    sql: database.sql,
    kysely: database.kysely,
    another: another.sql,
    async drop() {
      await Promise.all([database.close(), another.close()])
      await drop()
    },
  }
}

async function openRedis(): Promise<ArtifactStore> {
  const { url, prefix, drop } = await throwawayRedis()
  const connection = createRedis(url, { onError: () => {} })
  await connection.connect()
  return {
    artifacts: redisArtifacts(connection.client, { longestTokenSeconds: 3600, prefix }),
    newGrant: async (_schoolId, client) => newGrant(client),
    async drop() {
      await connection.close()
      await drop()
    },
  }
}
