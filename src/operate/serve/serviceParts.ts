import { reasonOf } from '../../base/log/reason.ts'
import type { Database, Reader } from '../../database/connection/database.ts'
import { readsFrom } from '../../database/connection/serverFacts.ts'
import { withinDeadline } from '../../database/connection/withinDeadline.ts'
import { type FileStorage, requireOwnStorage } from '../../database/files/fileStorage.ts'
import { pendingMigrations } from '../../database/migrations/migrate.ts'
import { heldSince } from '../../database/migrations/restore.ts'
import { mailOutage } from '../../database/outbox/mailOutage.ts'
import type { RedisConnection } from '../../database/redis/redis.ts'
import { failingEndpoints } from '../../database/webhooks/endpointState.ts'
import { PartialLoss, type Parts, readFromDatabase } from './readiness.ts'

export interface ServicePartsArguments {
  database: Database
  migrations: string
  redis?: RedisConnection | undefined
  storage: FileStorage
  /** Checks that SECRET_KEY decrypts the signing keys. */
  keys(): Promise<void>
  /** Checks that SECRET_KEY opens what is stored for good. */
  secrets(): Promise<void>
  clock(): Promise<void>
}

/** Returns the parts that `/readyz` reports. docs/operate.md describes each. */
export function serviceParts({ database, migrations, redis, storage, keys, secrets, clock }: ServicePartsArguments): Parts {
  const { kysely } = database.lane('background')
  return {
    database: { loses: 'all', check: () => checkDatabase(database) },
    migrations: { loses: 'all', check: () => nonePending(database.lane('authorization'), migrations) },
    keys: { loses: 'all', check: keys },
    secrets: { loses: 'some', check: secrets },
    ...(redis ? { redis: { loses: 'some', check: () => redis.ping() } } : {}),
    // Each check writes an object, which a bucket charges for.
    storage: {
      loses: 'some',
      async check() {
        await storage.check()
        await requireOwnStorage(database.lane('authorization'), storage)
      },
      freshSeconds: 10,
    },
    mail: { loses: 'none', check: readFromDatabase(() => mailOutage(kysely)), freshSeconds: 5 },
    webhooks: { loses: 'none', check: readFromDatabase(() => failingEndpoints(kysely)), freshSeconds: 5 },
    outgoing: { loses: 'none', check: readFromDatabase(() => holdReason(kysely)), freshSeconds: 5 },
    clock: { loses: 'none', check: clock },
  }
}

async function holdReason(db: Reader): Promise<string | undefined> {
  const since = await heldSince(db)
  return since && `e-mails and webhooks are held since the restore of ${since.toISOString()}: schoolgate outbox release`
}

/** A database that is full or read-only still serves reads. */
async function checkDatabase(database: Database): Promise<void> {
  try {
    await database.ping()
  } catch (error) {
    const isRead = await withinDeadline(readsFrom(database.lane('authorization')), readMs, 'the database').then(
      () => true,
      () => false,
    )
    throw isRead ? new PartialLoss(`takes no writes: ${reasonOf(error)}`) : error
  }
}

const readMs = 1000

async function nonePending(database: Database, migrations: string): Promise<void> {
  const pending = await pendingMigrations(database, migrations)
  if (pending.length > 0) throw new Error(`not applied: ${pending.join(', ')}`)
}
