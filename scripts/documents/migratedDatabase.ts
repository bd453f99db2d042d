import { resolve } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { readMigrations } from '../../src/database/migrations/migrationFiles.ts'
import { openShadow } from '../migrations/observeMigrations.ts'

/** The structure of the database after every migration, in the words of its catalogue. */
export interface Structure {
  tables: readonly Table[]
  functions: readonly { name: string; signature: string }[]
}

export interface Table {
  name: string
  columns: readonly { name: string; type: string; isNullable: boolean }[]
  /** Definitions without the words that every one has. */
  keys: readonly { kind: 'primary' | 'foreign' | 'check'; text: string }[]
  indexes: readonly { name: string; keys: string; isUnique: boolean; where: string | null }[]
  triggers: readonly { name: string; when: string; condition: string | null; calls: string }[]
}

/** Opens an embedded database in memory and applies every migration. */
export async function openMigrated(): Promise<PGlite> {
  const database = await openShadow()
  for (const { text } of await readMigrations(resolve(import.meta.dirname, '../../prisma/migrations'))) await database.exec(text)
  return database
}

export async function readStructure(database: PGlite): Promise<Structure> {
  const [tables, functions] = await Promise.all([
    database.query<Table>(tablesQuery),
    database.query<Structure['functions'][number]>(functionsQuery),
  ])
  return { tables: tables.rows, functions: functions.rows }
}

const tablesQuery = `
  SELECT t.relname AS name,
    (SELECT json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod), 'isNullable', NOT attnotnull) ORDER BY attnum)
       FROM pg_attribute WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped) AS columns,
    (SELECT coalesce(json_agg(json_build_object(
              'kind', CASE contype WHEN 'p' THEN 'primary' WHEN 'f' THEN 'foreign' ELSE 'check' END,
              'text', regexp_replace(pg_get_constraintdef(oid), '^(PRIMARY|FOREIGN) KEY ', '')) ORDER BY contype = 'f', conname), '[]')
       FROM pg_constraint WHERE conrelid = t.oid AND contype IN ('p', 'f', 'c')) AS keys,
    (SELECT coalesce(json_agg(json_build_object(
              'name', i.relname, 'isUnique', x.indisunique, 'where', pg_get_expr(x.indpred, x.indrelid),
              'keys', regexp_replace(pg_get_indexdef(x.indexrelid), '^.* USING (?:btree )?(.*?)(?: WHERE .*)?$', '\\1')) ORDER BY i.relname), '[]')
       FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = t.oid AND NOT x.indisprimary) AS indexes,
    (SELECT coalesce(json_agg(json_build_object(
              'name', tgname, 'calls', tgfoid::regproc::text,
              'when', lower(substring(pg_get_triggerdef(oid) FROM '(AFTER|BEFORE) ')) || ' ' ||
                lower(substring(pg_get_triggerdef(oid) FROM '(?:AFTER|BEFORE) (.*?) ON ')) || ', each ' ||
                lower(substring(pg_get_triggerdef(oid) FROM 'FOR EACH (ROW|STATEMENT)')),
              'condition', substring(pg_get_triggerdef(oid) FROM ' WHEN \\((.*)\\) EXECUTE ')) ORDER BY tgname), '[]')
       FROM pg_trigger WHERE tgrelid = t.oid AND NOT tgisinternal) AS triggers
  FROM pg_class t
  WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace
  ORDER BY t.relname`

/** Functions of the project, without those of extensions. */
const functionsQuery = `
  SELECT proname AS name, oid::regprocedure::text AS signature
  FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
  ORDER BY proname`
