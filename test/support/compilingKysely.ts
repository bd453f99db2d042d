import { type CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector } from 'kysely'
import type { DB } from '../../src/gen/kysely/tables.ts'
import { SchoolQueryCompiler } from '../../src/store/schoolParameter.ts'

/** Returns a handle that compiles statements without a database. Executed statements return no rows; `observe` receives them. */
export const compilingKysely = (observe?: (statement: CompiledQuery) => void): Kysely<DB> =>
  new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new SchoolQueryCompiler(),
    },
    log: ({ query }) => observe?.(query),
  })
