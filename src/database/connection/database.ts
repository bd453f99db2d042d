import type { Kysely, Selectable, Transaction } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { PrismaClient } from '../../gen/prisma/client.ts'
import type { FactGuard } from '../facts/factGuard.ts'
import type { Sql } from './sql.ts'

export type Reader = Kysely<DB>
export type Writer = Transaction<DB>

/** Columns of a table, as a query returns them. */
export type Stored<Table extends keyof DB, Column extends keyof Selectable<DB[Table]>> = Pick<Selectable<DB[Table]>, Column>

/** A handle whose statements read and write rows of one school only: see `inSchool`. */
export type SchoolReader = Reader & InSchool
export type SchoolWriter = Writer & InSchool

interface InSchool {
  readonly schoolId: string
}

export type DatabaseOf = (schoolId: string) => SchoolDatabase

export interface SchoolDatabase extends InSchool {
  kind: Database['kind']
  kysely: SchoolReader
  transaction<Result>(work: (writer: SchoolWriter) => Promise<Result>, purpose?: 'read' | 'write'): Promise<Result>
}

/** One transaction that can also run a whole file of statements. */
export interface Script extends Sql {
  runFile(text: string): Promise<void>
}

/** The kinds of work with separate connections. The embedded database has one connection for all of them. */
export type Lane = 'api' | 'authorization' | 'background'

/** How busy the connections of one kind of work are. */
export interface PoolFigures {
  pool: Lane
  max: number
  inUse: number
  idle: number
  waiting: number
}

export interface DatabaseFigures {
  pools: readonly PoolFigures[]
  lostConnections: number
}

/** One database, three handles over the same connections. */
export interface Database {
  kind: 'postgresql' | 'embedded'
  /** The same database over the connections of another kind of work. */
  lane(lane: Lane): Database
  sql: Sql
  kysely: Reader
  /** Marks changes of what processes keep in memory. Changes in a transaction are marked without a call. */
  facts: FactGuard
  /** Prisma's client, for the operator's commands. Loaded on first use: a serving process does not call it. */
  prisma(): Promise<PrismaClient>
  /**
   * One transaction. Inside it only `writer` and `sql` as handed in may be awaited; the outer handles throw. Writing
   * transactions may not use every connection: one that gets no connection in time fails as an outage.
   */
  transaction<Result>(work: (writer: Writer, sql: Sql) => Promise<Result>, purpose?: 'read' | 'write'): Promise<Result>
  /** Runs `work` after the surrounding transaction is committed, and not if it is rolled back. Outside of a transaction it runs immediately. */
  afterCommit(work: () => void): void
  /** Runs one transaction on a separate connection, without a time limit: for migrations and bulk data. */
  script<Result>(work: (script: Script) => Promise<Result>): Promise<Result>
  /** Runs one statement outside of a transaction, on a separate connection without a time limit: for work on indexes next to requests. */
  alone(text: string): Promise<void>
  /** Runs `work` if no other instance is running it now; answers undefined otherwise. A PostgreSQL advisory lock, by its name or its key. */
  exclusively<Result>(name: string | number, work: () => Promise<Result>): Promise<Result | undefined>
  figures(): DatabaseFigures
  /** Writes something that leaves no trace. Throws when the database does not respond within two seconds, is full or is read-only. */
  ping(): Promise<void>
  close(): Promise<void>
}
