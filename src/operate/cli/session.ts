import { createKeyring, type Keyring } from '../../base/keyring.ts'
import { onFirstUse } from '../../base/process/lazily.ts'
import type { School } from '../../base/school.ts'
import { printIssue } from '../../config/configErrors.ts'
import type { SchoolConfig } from '../../config/schools.ts'
import { readSecretKeys } from '../../config/secrets.ts'
import type { Database, SchoolReader, SchoolWriter, Writer } from '../../database/connection/database.ts'
import { rawSql } from '../../database/connection/rawSql.ts'
import type { Sql } from '../../database/connection/sql.ts'
import type { FactMarkers } from '../../database/facts/factGuard.ts'
import { redisMarkers } from '../../database/facts/redisMarkers.ts'
import { type FileStorage, isOwnStorage } from '../../database/files/fileStorage.ts'
import { pendingMigrations } from '../../database/migrations/migrate.ts'
import type { RedisConnection } from '../../database/redis/redis.ts'
import { inSchool } from '../../database/school/inSchool.ts'
import { actingAs } from '../../database/tables/actors.ts'
import { type AuditEntry, recordAudit } from '../../database/tables/audit.ts'
import { ensureSchool, findSchoolId } from '../../database/tables/schools.ts'
import type { PrismaClient } from '../../gen/prisma/client.ts'
import type { Stores } from '../../identity/oidc/stores.ts'
import type { RunningService } from '../serve/commandRunner.ts'
import { createStores, openConfiguredDatabase, openConfiguredFileStorage, openConfiguredRedis } from '../serve/open.ts'
import { migrationsDirectory, readSettings, type Settings, type Variables } from '../serve/start.ts'
import { chooseSchool } from './chooseSchool.ts'
import { requireExistingDatabase } from './existingDatabase.ts'
import { failure, reasonOf } from './failures.ts'
import { withProgress } from './progress.ts'
import { createReasonLog } from './reasonLog.ts'
import type { Terminal } from './terminal.ts'

export interface SessionArguments {
  terminal: Terminal
  variables: Variables
  userName: string
  /** An open database, which the session does not close. */
  database?: Database | undefined
  service?: RunningService | undefined
  signal?: AbortSignal | undefined
  onSchool?: ((schoolId: string) => void) | undefined
  /** True if nothing may be changed: the session uses no Redis and creates no school. */
  isDryRun?: boolean
}

/** The services that a command uses. Each is opened when it is first requested. */
export interface Session {
  terminal: Terminal
  userName: string
  signal: AbortSignal
  /** The service in whose process the command runs; undefined in a separate process. */
  service: RunningService | undefined
  /** @throws ConfigError */
  settings(): Settings
  /** Reads the configuration again, after the command has changed a file. */
  rereadSettings(): void
  /** The keys that are derived from the root secrets of SECRET_KEY. */
  keyring(): Keyring
  database(): Promise<Database>
  databaseAsItIs(): Promise<Database>
  /** The same. Creates the embedded database if it does not exist. */
  newOrOldDatabase(): Promise<Database>
  /** Returns the school that `--school` names, or the only one. It must have a row. */
  school(slug: string | undefined): Promise<SessionSchool>
  configuredSchool(slug: string | undefined): SchoolConfig
  /** Returns the school in the same way. Creates its row from its file if the row does not exist. */
  schoolToFill(slug: string | undefined): Promise<SessionSchool>
  prisma(): Promise<PrismaClient>
  /** The file storage. @throws CommanderError if it is not the one of the database */
  storage(): Promise<FileStorage>
  redis(): Promise<RedisConnection | undefined>
  /** The stores of the engine. With a writer, those in the database use its transaction. */
  stores(writer?: Writer): Promise<Stores>
  change<Result>(work: (change: Change) => Promise<Result>): Promise<Result>
  /** Returns a session for a dry run over another database and terminal. */
  over(database: Database, terminal: Terminal): Session
  close(): Promise<void>
}

/** A school, with handles that see its rows alone. */
export interface SessionSchool extends School {
  rows: SchoolReader
  change<Result>(work: (change: SchoolChange) => Promise<Result>): Promise<Result>
}

export interface Change {
  writer: Writer
  sql: Sql
  stores(): Promise<Stores>
  record(entry: AuditEntry): Promise<void>
}

export interface SchoolChange extends Change {
  writer: SchoolWriter
  record(entry: Omit<AuditEntry, 'school_id'>): Promise<void>
}

export function openSession(args: SessionArguments): Session {
  const { terminal, variables, userName, database: given, service, onSchool, isDryRun = false } = args
  const log = createReasonLog()
  let opened: Database | undefined
  let connected: RedisConnection | undefined

  let read: Settings | undefined
  const settings = (): Settings => {
    if (!read) {
      read = readSettings(variables)
      for (const warning of service ? [] : read.warnings) terminal.err(`warning: ${printIssue(warning)}\n`)
    }
    return read
  }
  const keyring = onFirstUse(() => {
    const { environment, config } = settings()
    return createKeyring(readSecretKeys({ environment, issuers: config.schools.map(({ issuer }) => issuer), mayCreate: false }))
  })
  let mayCreate = false
  const databaseAsItIs = onFirstUse(async () => {
    if (given) return given
    const { environment } = settings()
    if (!mayCreate) requireExistingDatabase(environment)
    try {
      opened = await withProgress(terminal, 'opening the database', () => openConfiguredDatabase(environment, log))
      await opened.ping()
      opened.facts.useMarkers({ begin: async (facts) => (await markers()).begin(facts) })
      return opened
    } catch (error) {
      const way = environment.DATABASE_URL ? '; check DATABASE_URL, and that the server is running' : ''
      throw failure(`the database cannot be opened: ${reasonOf(error)}${way}`)
    }
  })
  const database = onFirstUse(async () => {
    const there = await databaseAsItIs()
    const pending = await pendingMigrations(there, migrationsDirectory)
    if (pending.length > 0) {
      const place = given || settings().environment.DATABASE_URL ? '' : ` (the embedded one in DATA_DIR, because DATABASE_URL is not set)`
      throw failure(`the database${place} lacks ${pending.length} migration${pending.length === 1 ? '' : 's'}: run schoolgate migrate up`)
    }
    return there
  })
  const redis = onFirstUse(async () => {
    if (isDryRun) return undefined
    const { environment } = settings()
    connected = await withProgress(terminal, 'connecting to Redis', () => openConfiguredRedis(environment, log))
    return connected
  })

  let openedStorage: FileStorage | undefined
  const storage = onFirstUse(async () => {
    const there = await database()
    openedStorage = await openConfiguredFileStorage(settings().environment)
    await isOwnStorage(there, openedStorage)
    return openedStorage
  })

  // Commands that change no fact need no Redis.
  const markers = onFirstUse(async (): Promise<FactMarkers> => {
    const there = await redis()
    return there ? redisMarkers({ redis: there.client, log }) : { begin: async () => ({ end: async () => undefined }) }
  })

  const configured = (slug: string | undefined) => chooseSchool(settings().config.schools, slug)

  const stores = async (writer?: Writer): Promise<Stores> => {
    const handles = writer ? { sql: rawSql(writer), kysely: writer } : await database()
    return createStores({ database: handles, redis: await redis(), oauth: settings().config.oauth, log })
  }

  const schoolOf = async ({ slug, issuer }: SchoolConfig, id: string): Promise<SessionSchool> => {
    onSchool?.(id)
    const there = await database()
    const changeRows: SessionSchool['change'] = (work) =>
      change(({ writer, record, ...rest }) =>
        work({ ...rest, writer: inSchool(writer, id), record: (entry) => record({ ...entry, school_id: id }) }),
      )
    return {
      id,
      slug,
      issuer,
      change: changeRows,
      get rows() {
        return inSchool(there.kysely, id)
      },
    }
  }

  const existingSchool = async (slug: string | undefined): Promise<SessionSchool> => {
    const school = configured(slug)
    const id = await findSchoolId((await database()).kysely, school.slug)
    if (id !== undefined) return await schoolOf(school, id)
    throw failure(`school ${school.slug} has no data yet: start the service once, or create its first person with people create`)
  }

  const change = async <Result>(work: (change: Change) => Promise<Result>): Promise<Result> => {
    const there = await database()
    try {
      return await there.transaction((writer, sql) =>
        work({
          writer: actingAs(writer, { kind: 'operator' }),
          sql,
          stores: () => stores(writer),
          record: ({ details, ...entry }) => recordAudit(writer, [{ ...entry, details: { ...details, operator: userName } }]),
        }),
      )
    } catch (error) {
      throw log.explain(error)
    }
  }

  return {
    terminal,
    userName,
    service,
    signal: args.signal ?? new AbortController().signal,
    stores,
    redis,
    storage,
    settings,
    rereadSettings() {
      read = readSettings(variables)
    },
    keyring,
    database,
    databaseAsItIs,
    newOrOldDatabase() {
      mayCreate = true
      return databaseAsItIs()
    },
    prisma: async () => (await database()).prisma(),
    configuredSchool: configured,
    school: existingSchool,
    async schoolToFill(slug) {
      if (isDryRun) return await existingSchool(slug)
      const school = configured(slug)
      const id = await ensureSchool((await database()).kysely, { slug: school.slug, ...school.defaults })
      return schoolOf(school, id)
    },
    change,
    over: (database, silent) => openSession({ ...args, database, terminal: silent, isDryRun: true }),
    async close() {
      await connected?.close()
      openedStorage?.close()
      await opened?.close()
    },
  }
}
