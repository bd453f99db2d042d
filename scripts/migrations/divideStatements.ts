import { isLarge } from './largeTables.ts'

export interface MigrationPart {
  /** Is added to the name of the migration. */
  suffix: string
  statements: readonly string[]
}

const createdTable = /^CREATE TABLE "(\w+)"/m
const createdIndex = /^CREATE (UNIQUE )?INDEX "(\w+)" ON "(\w+)"/m
const addedForeignKey = /^ALTER TABLE "(\w+)" ADD CONSTRAINT "(\w+)" FOREIGN KEY [^;]*/m
const droppedIndex = /^DROP INDEX "(\w+)"/m

/**
 * Divides the statements of a change of the schema into migrations that can run while the service works: indexes of large tables are built
 * next to requests, one to a migration, and dropped when the new ones are built. Foreign keys of large tables are validated on their own.
 */
export function divideStatements(statements: readonly string[]): MigrationPart[] {
  const created = new Set(statements.flatMap((statement) => createdTable.exec(statement)?.[1] ?? []))
  const isBusy = (table: string | undefined): boolean => table !== undefined && !created.has(table) && isLarge(table)
  const builds = statements.filter((statement) => isBusy(createdIndex.exec(statement)?.[3]))
  const keys = statements.filter((statement) => isBusy(addedForeignKey.exec(statement)?.[1]))
  // Dropping takes a moment, but queries need the old index until the new one is there.
  const drops = builds.length === 0 ? [] : statements.filter((statement) => droppedIndex.test(statement))
  const rest = statements
    .filter((statement) => ![...builds, ...drops].includes(statement))
    .map((one) => (keys.includes(one) ? unvalidated(one) : one))
  return [
    { suffix: '', statements: rest },
    ...builds.map((statement) => ({ suffix: `_${createdIndex.exec(statement)?.[2]}`, statements: [concurrent(statement)] })),
    { suffix: '_validate', statements: keys.map(validation) },
    { suffix: '_drop_indexes', statements: drops },
  ].filter((part) => part.statements.length > 0)
}

const unvalidated = (statement: string): string => statement.replace(addedForeignKey, (key) => `${key} NOT VALID`)

const validation = (statement: string): string => {
  const [, table, name] = addedForeignKey.exec(statement) ?? []
  return `-- ValidateForeignKey\nALTER TABLE "${table}" VALIDATE CONSTRAINT "${name}";`
}

const concurrent = (statement: string): string => statement.replace(/^CREATE (UNIQUE )?INDEX /m, 'CREATE $1INDEX CONCURRENTLY ')
