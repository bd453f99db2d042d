/**
 * Compares prisma/schema.prisma with prisma/migrations. Needs neither a server nor a network.
 *
 *   node scripts/makeMigration.ts NAME       writes a new migration that leads to the schema
 *   node scripts/makeMigration.ts --check    exits with 1 if a migration is missing
 *   node scripts/makeMigration.ts --remake   rewrites the only migration, before the first deployment
 *
 * Objects that the schema cannot express (partial and expression indexes, collations, triggers) are written by hand below the line
 * `-- Handwritten`. prisma/handwritten.txt names them, one per line: the comparison would otherwise remove them.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { type DiffTarget, SchemaEngine } from '@prisma/schema-engine-wasm'
import { PrismaPGlite } from 'pglite-prisma-adapter'

const root = resolve(import.meta.dirname, '..')
const schemaFile = join(root, 'prisma/schema.prisma')
const directory = join(root, 'prisma/migrations')
const handwrittenLine = '-- Handwritten: see prisma/handwritten.txt'

const [argument] = process.argv.slice(2)
if (argument === '--check') await check()
else if (argument === '--remake') await remake()
else if (argument && /^[a-z][a-z0-9_]*$/.test(argument)) await make(argument)
else fail('usage: makeMigration.ts NAME (snake_case) | --check | --remake')

async function check(): Promise<void> {
  const drift = await statementsToSchema()
  if (drift.length > 0)
    fail(`prisma/schema.prisma and prisma/migrations differ:\n\n${drift.join('\n\n')}\n\nRun: node scripts/makeMigration.ts NAME`)
}

async function make(name: string): Promise<void> {
  const statements = await statementsToSchema()
  if (statements.length === 0) fail('the migrations already lead to the schema')
  const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  await write(`${timestamp}_${name}`, `${statements.join('\n\n')}\n`)
}

async function remake(): Promise<void> {
  const [only, ...others] = await migrationNames()
  if (!only || others.length > 0) fail('--remake is for a single migration')
  const [, handwritten] = (await readMigration(only)).split(handwrittenLine)
  const generated = (await diff({ tag: 'empty' })).trimEnd()
  await write(only, handwritten === undefined ? `${generated}\n` : `${generated}\n\n${handwrittenLine}${handwritten}`)
}

async function write(name: string, text: string): Promise<void> {
  await mkdir(join(directory, name), { recursive: true })
  await writeFile(join(directory, name, 'migration.sql'), text)
  await writeFile(join(directory, 'migration_lock.toml'), 'provider = "postgresql"\n')
  process.stdout.write(`prisma/migrations/${name}/migration.sql\n`)
}

/** Returns the statements that change the migrated database into the schema, without those that drop a handwritten object. */
async function statementsToSchema(): Promise<string[]> {
  const names = await migrationNames()
  const migrationDirectories = await Promise.all(
    names.map(async (path) => ({
      path,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: await readMigration(path) } },
    })),
  )
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
  // The cluster that `npm run generate` wrote: creating one takes four seconds more.
  const cluster = await readFile(join(root, 'src/gen/embedded/image.tar.gz')).catch(() => undefined)
  const shadow = new PGlite({ extensions: { pg_trgm }, ...(cluster && { loadDataDir: new Blob([cluster]) }) })
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

async function migrationNames(): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted()
}

function readMigration(name: string): Promise<string> {
  return readFile(join(directory, name, 'migration.sql'), 'utf8')
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
