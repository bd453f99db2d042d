import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../gen/kysely/tables.ts'
import type { PrismaClient } from '../gen/prisma/client.ts'
import type { Sql } from './sql.ts'

/** Kysely as the road of a request uses it. */
export type Reader = Kysely<DB>
export type Writer = Transaction<DB>

/** One transaction that can also run a whole file of statements. */
export interface Script extends Sql {
  runFile(text: string): Promise<void>
  /** Appends rows in the text format of COPY, one a line. They are read as fast as the database takes them. */
  copyIn(table: string, columns: readonly string[], lines: Iterable<string>): Promise<void>
}

/** One database, three handles over the same connections. */
export interface Database {
  kind: 'postgresql' | 'embedded'
  sql: Sql
  kysely: Reader
  /** Administrative code only (CLI, jobs, demo). Made on first use. */
  prisma(): PrismaClient
  /** One transaction. Inside it only `writer` and `sql` as handed in may be awaited; the outer handles throw. */
  transaction<Result>(work: (writer: Writer, sql: Sql) => Promise<Result>): Promise<Result>
  /** One transaction on a connection of its own, without a time limit: for migrations and for data in bulk. */
  script<Result>(work: (script: Script) => Promise<Result>): Promise<Result>
  /** Runs `work` if no other instance is running it now; answers undefined otherwise. A PostgreSQL advisory lock. */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result | undefined>
  /** Throws where the database does not answer within two seconds. */
  ping(): Promise<void>
  close(): Promise<void>
}
