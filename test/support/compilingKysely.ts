import { type CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector } from 'kysely'
import { SchoolQueryCompiler } from '../../src/database/school/schoolParameter.ts'
import type { DB } from '../../src/gen/kysely/tables.ts'

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
