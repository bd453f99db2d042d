import { type ConnectionProvider, DummyDriver, Kysely } from 'kysely'
import type { TransactionGuard } from './servicePool.ts'

/**
 * The same database seen through a handle that refuses inside a transaction, and that starts none itself.
 *
 * The check runs before a connection is requested: Kysely serialises the embedded database with its own lock,
 * and behind that lock it would be too late.
 */
export function guardedKysely<Tables>(kysely: Kysely<Tables>, guard: TransactionGuard, refuseTransactions: () => never): Kysely<Tables> {
  const executor = kysely.getExecutor()
  const connections: ConnectionProvider = {
    async provideConnection(consumer, options) {
      guard.assertOutside('database.kysely')
      return await executor.provideConnection(consumer, options)
    },
  }
  const driver = Object.assign(new DummyDriver(), { beginTransaction: async () => refuseTransactions() })
  const dialect = {
    createAdapter: () => executor.adapter,
    createDriver: () => driver,
    createQueryCompiler: notMadeAgain,
    createIntrospector: notMadeAgain,
  }
  return new Kysely<Tables>({ config: { dialect }, dialect, driver, executor: executor.withConnectionProvider(connections) })
}

function notMadeAgain(): never {
  throw new Error('database.kysely has no separate compiler or introspector')
}
