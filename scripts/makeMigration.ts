/**
 * Compares prisma/schema.prisma with prisma/migrations, and the header of each migration with what it does. Needs neither a server nor a network.
 *
 *   node scripts/makeMigration.ts NAME             writes new migrations that lead to the schema
 *   node scripts/makeMigration.ts --header NAME    writes the header of a migration again, after an edit
 *   node scripts/makeMigration.ts --check          exits with 1 if a migration is missing, or a header is not true
 *
 * Objects that the schema cannot express (partial and expression indexes, collations, triggers) are written by hand.
 * prisma/handwritten.txt names them, one per line: the comparison would otherwise remove them.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { type DiffTarget, SchemaEngine } from '@prisma/schema-engine-wasm'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { formatHeader, type Migration, readMigrations, withoutHeader } from '../src/database/migrations/migrationFiles.ts'
import { divideStatements } from './migrations/divideStatements.ts'
import { headerProblems, isWithoutHeader, worksFromDefault } from './migrations/headerProblems.ts'
import { observeMigrations, openShadow } from './migrations/observeMigrations.ts'
import { fail } from './modules.ts'

const root = resolve(import.meta.dirname, '..')
const schemaFile = join(root, 'prisma/schema.prisma')
const directory = join(root, 'prisma/migrations')

const [argument, named] = process.argv.slice(2)
const isName = (text: string | undefined): text is string => text !== undefined && /^[a-z][a-z0-9_]*$/.test(text)
if (argument === '--check') await check()
else if (argument === '--header' && named !== undefined) await writeHeaders([named])
else if (isName(argument)) await make(argument)
else fail('usage: makeMigration.ts NAME (snake_case) | --header NAME | --check')

async function check(): Promise<void> {
  const drift = await statementsToSchema()
  if (drift.length > 0)
    fail(`prisma/schema.prisma and prisma/migrations differ:\n\n${drift.join('\n\n')}\n\nRun: node scripts/makeMigration.ts NAME`)
  const migrations = await readMigrations(directory)
  const problems = headerProblems(migrations, await observeMigrations(migrations))
  if (problems.length > 0) fail(problems.join('\n\n'))
}

async function make(name: string): Promise<void> {
  const statements = await statementsToSchema()
  if (statements.length === 0) fail('the migrations already lead to the schema')
  const now = Date.now()
  const parts = divideStatements(statements).map(({ suffix, statements: own }, index) => ({
    name: `${timestampOf(new Date(now + index * 1000))}_${name}${suffix}`,
    text: `${own.join('\n\n')}\n`,
  }))
  for (const part of parts) {
    await mkdir(join(directory, part.name), { recursive: true })
    await writeMigration(part.name, part.text)
  }
  await writeHeaders(parts.map((part) => part.name))
  for (const part of parts) process.stdout.write(`prisma/migrations/${part.name}/migration.sql\n`)
}

function timestampOf(time: Date): string {
  return time.toISOString().replace(/\D/g, '').slice(0, 14)
}

/** Writes what the migrations do to existing tables as their first lines, and prints what else their authors must state. */
async function writeHeaders(names: readonly string[]): Promise<void> {
  for (const name of names) if (isWithoutHeader(name)) fail(`${name} cannot be edited: databases have applied it`)
  const observed = await observeMigrations(await readMigrations(directory))
  for (const name of names) {
    const seen = observed.get(name)
    if (!seen) fail(`there is no migration ${name}`)
    // Read again: the one before may have got its header before.
    const migrations = await readMigrations(directory)
    const index = migrations.findIndex((one) => one.name === name)
    const { header, text } = migrations[index] as Migration
    const worksFrom = header?.worksFrom ?? worksFromDefault(migrations[index - 1])
    await writeMigration(name, `${formatHeader({ worksFrom, blocks: header?.blocks, ...seen })}\n${withoutHeader(text)}`)
  }
  const written = (await readMigrations(directory)).filter(({ name }) => names.includes(name))
  for (const problem of headerProblems(await readMigrations(directory), observed))
    if (written.some(({ name }) => problem.startsWith(name))) process.stderr.write(`${problem}\n`)
}

async function writeMigration(name: string, text: string): Promise<void> {
  await writeFile(join(directory, name, 'migration.sql'), text)
}

/** Returns the statements that change the migrated database into the schema, without those that drop a handwritten object. */
async function statementsToSchema(): Promise<string[]> {
  const migrationDirectories = (await readMigrations(directory)).map(({ name, text }) => ({
    path: name,
    migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: text } },
  }))
  const lockfile = { path: 'migration_lock.toml', content: 'provider = "postgresql"' }
  const script = await diff({ tag: 'migrations', baseDir: directory, shadowDbInitScript: '', lockfile, migrationDirectories })
  const handwritten = (await readFile(join(root, 'prisma/handwritten.txt'), 'utf8'))
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
  return script
    .split(/\n\n(?=-- )/)
    .map((statement) => statement.trim())
    .filter((statement) => /^(?!--|$)/m.test(statement) && !handwritten.some((name) => statement.includes(`"${name}"`)))
}

async function diff(from: DiffTarget): Promise<string> {
  const content = await readFile(schemaFile, 'utf8')
  const shadow = await openShadow()
  // No database is changed, so the engine connects to the one that it applies the migrations to.
  const factory = new PrismaPGlite(shadow)
  factory.connectToShadowDb = () => factory.connect()
  try {
    const engine = await SchemaEngine.new({ datamodels: [[schemaFile, content]] }, () => {}, bindMigrationAwareSqlAdapterFactory(factory))
    const { stdout } = await engine.diff({
      from,
      to: { tag: 'schemaDatamodel', files: [{ path: schemaFile, content }] },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    })
    return keepSchool(stdout ?? '')
  } finally {
    await shadow.close()
  }
}

/**
 * Limits ON DELETE SET NULL to the column that names the other row: without the list, PostgreSQL would also empty `school_id`, which is
 * required.
 */
function keepSchool(script: string): string {
  return script.replace(/(FOREIGN KEY \("school_id", ?"(\w+)"\) REFERENCES [^;]* ON DELETE SET NULL)(?! \()/g, '$1 ("$2")')
}
