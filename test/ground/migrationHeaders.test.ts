import { describe, expect, test } from 'vitest'
import { divideStatements } from '../../scripts/migrations/divideStatements.ts'
import { headerProblems, worksFromDefault } from '../../scripts/migrations/headerProblems.ts'
import { observeMigrations } from '../../scripts/migrations/observeMigrations.ts'
import { formatHeader, isAlone, type Migration, parseHeader, withoutHeader } from '../../src/database/migrations/migrationFiles.ts'

const migration = (name: string, text: string): Migration => ({
  name,
  text,
  checksum: '',
  header: parseHeader(text),
  isAlone: isAlone(text),
})

const tables = `CREATE TABLE "school" ("id" INT PRIMARY KEY);
CREATE TABLE "orders" ("id" INT PRIMARY KEY, "note" TEXT, "school_id" INT);
CREATE INDEX "orders_note" ON "orders" ("note");`
const first = migration('20270101000000_first', `-- Works with releases from: this\n-- Locks: none\n\n${tables}`)
const header = (locks: string, work?: string): string =>
  `-- Works with releases from: ${first.name}\n-- Locks: ${locks}\n${work === undefined ? '' : `-- Work: ${work}\n`}`

/** Returns what the check finds in a migration after the first one. */
async function problemsOf(text: string): Promise<string[]> {
  const migrations = [first, migration('20270102000000_planted', text)]
  return headerProblems(migrations, await observeMigrations(migrations))
}

/** Effects of statements on existing tables, as the database shows them. */
const effects: readonly [statement: string, locks: string, work?: string][] = [
  ['ALTER TABLE "orders" ADD COLUMN "colour" TEXT', 'ACCESS EXCLUSIVE on orders'],
  [`ALTER TABLE "orders" ADD COLUMN "colour" TEXT NOT NULL DEFAULT 'red'`, 'ACCESS EXCLUSIVE on orders'],
  ['ALTER TABLE "orders" ADD COLUMN "key" UUID DEFAULT gen_random_uuid()', 'ACCESS EXCLUSIVE on orders', 'rewrites orders'],
  ['ALTER TABLE "orders" ALTER COLUMN "id" TYPE BIGINT', 'ACCESS EXCLUSIVE on orders', 'rewrites orders'],
  ['ALTER TABLE "orders" ALTER COLUMN "note" TYPE VARCHAR', 'ACCESS EXCLUSIVE on orders', 'builds 1 index of orders'],
  ['ALTER TABLE "orders" ALTER COLUMN "note" SET NOT NULL', 'ACCESS EXCLUSIVE on orders', 'scans orders'],
  ['ALTER TABLE "orders" ADD CHECK ("id" > 0)', 'ACCESS EXCLUSIVE on orders', 'scans orders'],
  ['ALTER TABLE "orders" ADD CHECK ("id" > 0) NOT VALID', 'ACCESS EXCLUSIVE on orders'],
  ['ALTER TABLE "orders" ADD UNIQUE ("note")', 'ACCESS EXCLUSIVE on orders', 'builds 1 index of orders'],
  ['CREATE INDEX "one" ON "orders" ("id")', 'SHARE on orders', 'builds 1 index of orders'],
  ['DROP INDEX "orders_note"', 'ACCESS EXCLUSIVE on orders'],
  [
    'ALTER TABLE "orders" ADD FOREIGN KEY ("school_id") REFERENCES "school"',
    'SHARE ROW EXCLUSIVE on orders, SHARE ROW EXCLUSIVE on school',
    'scans orders',
  ],
  [
    'ALTER TABLE "orders" ADD FOREIGN KEY ("school_id") REFERENCES "school" NOT VALID',
    'SHARE ROW EXCLUSIVE on orders, SHARE ROW EXCLUSIVE on school',
  ],
  [`UPDATE "orders" SET "note" = 'x'`, 'ROW EXCLUSIVE on orders', 'writes orders'],
  ['CREATE TABLE "more" AS SELECT "note" FROM "orders"', 'none', 'scans orders'],
  ['CREATE INDEX CONCURRENTLY "one" ON "orders" ("id")', 'SHARE UPDATE EXCLUSIVE on orders', 'builds 1 index of orders'],
  ['DROP INDEX CONCURRENTLY IF EXISTS "orders_note"', 'SHARE UPDATE EXCLUSIVE on orders'],
  [`DO $$ BEGIN\nUPDATE "orders" SET "note" = 'x' WHERE "note" <> 'x';\nCOMMIT;\nEND $$`, 'ROW EXCLUSIVE on orders', 'writes orders'],
  ['CREATE TABLE "more" ("id" INT); CREATE INDEX "one" ON "more" ("id"); UPDATE "more" SET "id" = 1', 'none'],
]

describe('the check of migrations', () => {
  test.each(effects)('sees the locks and the work of: %s', async (statement, locks, work) => {
    const planted = migration('20270102000000_planted', `${statement};\n`)
    const seen = (await observeMigrations([first, planted])).get(planted.name)
    expect(seen && formatHeader({ worksFrom: undefined, blocks: undefined, ...seen })).toBe(
      header(locks, work).replace(/^-- Works.*\n/, ''),
    )
  })

  test.each([
    ['an index of a large table', 'CREATE INDEX "one" ON "orders" ("id")', 'SHARE on orders', 'builds 1 index of orders'],
    ['a rewrite of a large table', 'ALTER TABLE "orders" ALTER COLUMN "id" TYPE BIGINT', 'ACCESS EXCLUSIVE on orders', 'rewrites orders'],
    ['a change of all rows', `UPDATE "orders" SET "note" = 'x'`, 'ROW EXCLUSIVE on orders', 'writes orders'],
    [
      'a short lock that lasts for as long as work on a large table',
      'ALTER TABLE "school" ADD COLUMN "n" INT; CREATE TABLE "more" AS SELECT "note" FROM "orders"',
      'ACCESS EXCLUSIVE on school',
      'scans orders',
    ],
  ])(
    'refuses %s, without a header, with a header that hides it, and with one that gives no reason',
    async (_name, statement, locks, work) => {
      const text = `${statement};\n`
      expect(await problemsOf(text)).toEqual([expect.stringContaining(`which writes:\n-- Locks: ${locks}\n-- Work: ${work}`)])
      expect(await problemsOf(header('none') + text)).toEqual([expect.stringContaining('do not state what it does to existing tables')])
      expect(await problemsOf(header(locks, work) + text)).toEqual([
        expect.stringContaining('requests wait while it works on large tables'),
      ])
      const stated = `${header(locks, work)}-- Blocks requests: it is repaired at night\n${text}`
      expect(await problemsOf(stated)).toEqual([])
    },
  )

  test('accepts what requests do not wait for, and refuses a reason where none is needed', async () => {
    const added = 'ALTER TABLE "orders" ADD COLUMN "colour" TEXT;\n'
    expect(await problemsOf(header('ACCESS EXCLUSIVE on orders') + added)).toEqual([])
    expect(await problemsOf(`${header('ACCESS EXCLUSIVE on orders')}-- Blocks requests: no\n${added}`)).toEqual([
      expect.stringContaining('Remove the line "-- Blocks requests: "'),
    ])
    const small = header('SHARE on school', 'builds 1 index of school')
    expect(await problemsOf(`${small}CREATE INDEX "one" ON "school" ("id");\n`)).toEqual([])
  })

  test.each([
    ['several statements', 'CREATE INDEX CONCURRENTLY "one" ON "orders" ("id");\nSELECT 1;\n', 'is one statement that can be repeated'],
    ['an index without a name', 'CREATE INDEX CONCURRENTLY ON "orders" ("id");\n', 'is one statement that can be repeated'],
  ])('refuses a migration outside of a transaction with %s', async (_name, text, problem) => {
    const planted = migration('20270102000000_planted', header('SHARE UPDATE EXCLUSIVE on orders', 'builds 1 index of orders') + text)
    const observed = new Map([[planted.name, { locks: planted.header?.locks ?? [], work: planted.header?.work ?? [] }]])
    expect(headerProblems([first, planted], observed)).toEqual([expect.stringContaining(problem)])
  })

  test.each(['20270103000000_unknown', '20270102000000_planted'])(
    'refuses %s as the release from which a migration works',
    async (from) => {
      const text = `-- Works with releases from: ${from}\n-- Locks: none\nCREATE TABLE "more" ("id" INT);\n`
      expect(await problemsOf(text)).toEqual([expect.stringContaining('must name an earlier migration')])
    },
  )
})

describe('a new migration', () => {
  test('works with the same releases as the one before, or from that one on if that one works with none', () => {
    expect(worksFromDefault(undefined)).toBe('this')
    expect(worksFromDefault(first)).toBe(first.name)
    expect(worksFromDefault(migration('20270102000000_next', header('none')))).toBe(first.name)
    expect(worksFromDefault({ ...first, header: undefined })).toBe(first.name)
  })

  test('builds indexes of large tables next to requests, validates foreign keys apart, and drops indexes last', () => {
    const parts = divideStatements([
      '-- DropIndex\nDROP INDEX "orders_note";',
      '-- AlterTable\nALTER TABLE "orders" ADD COLUMN "b" INT;',
      '-- CreateTable\nCREATE TABLE "new" (\n"id" INT\n);',
      '-- CreateIndex\nCREATE INDEX "new_id" ON "new"("id");',
      '-- CreateIndex\nCREATE INDEX "school_id" ON "school"("id");',
      '-- CreateIndex\nCREATE UNIQUE INDEX "orders_b" ON "orders"("b");',
      '-- AddForeignKey\nALTER TABLE "orders" ADD CONSTRAINT "orders_fkey" FOREIGN KEY ("b") REFERENCES "new"("id") ON DELETE CASCADE;',
      '-- AddForeignKey\nALTER TABLE "new" ADD CONSTRAINT "new_fkey" FOREIGN KEY ("id") REFERENCES "orders"("id");',
    ])
    expect(parts.map(({ suffix }) => suffix)).toEqual(['', '_orders_b', '_validate', '_drop_indexes'])
    expect(parts.map(({ statements }) => statements.join('\n')).slice(1)).toEqual([
      '-- CreateIndex\nCREATE UNIQUE INDEX CONCURRENTLY "orders_b" ON "orders"("b");',
      '-- ValidateForeignKey\nALTER TABLE "orders" VALIDATE CONSTRAINT "orders_fkey";',
      '-- DropIndex\nDROP INDEX "orders_note";',
    ])
    expect(parts[0]?.statements.join('\n')).toContain('REFERENCES "new"("id") ON DELETE CASCADE NOT VALID;')
    expect(parts[0]?.statements.join('\n')).toContain('REFERENCES "orders"("id");')
  })

  test('keeps its statements when its header is written again', () => {
    const text = 'CREATE TABLE "more" ("id" INT);\n-- Locks are a word of this comment.\n'
    const seen = { worksFrom: first.name, locks: [{ mode: 'SHARE' as const, table: 'orders' }], work: [], blocks: 'a reason' }
    const written = `${formatHeader(seen)}\n${text}`
    expect(parseHeader(written)).toEqual(seen)
    expect(withoutHeader(written)).toBe(text)
  })
})
