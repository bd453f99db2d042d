import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../src/database/connection/database.ts'
import type { AnyRows, AnyTables } from '../../src/engine/declare/expressions.ts'
import type { Resource } from '../../src/engine/declare/resource.ts'
import { unwrapped, viewOf } from '../../src/engine/declare/views.ts'
import { resources } from '../../src/school/index.ts'

/** The prefix of every marker that visitors must never read. */
export const secretMark = 'zq7xk'

// Keys, codes and states: a row with another value would be another row, or none.
const structural =
  /^(?!external_id$)(.*_)?(id|kid|alg|status|kind|visibility|role|format|currency|language|locale|model|mode|theme|purpose|event|via|fingerprint|type|action|access|level|template|radius|zone|uid|registration|picture|issuer|sha256|code|url|interval)$/
// Encrypted and hashed columns take no marker: no URL returns them, and the service could not read them.
const sealed = ['signing_key', 'oidc_artifact', 'idempotency_record', 'search_document']
/** Columns that public fields are computed from, in addition to those of the same name. */
const publicParts: Readonly<Record<string, readonly string[]>> = {
  page: ['live'],
  course: ['cover_image_alt'],
  lecturer: ['avatar_alt', 'cover_image_alt'],
  // The contents of a product: its public view lists its files.
  product_file: ['title'],
  file: ['filename'],
  // Public as the stylesheet /assets/custom.css, although no field shows it.
  appearance: ['links', 'announcement', 'custom_css', 'logo_alt', 'logo_dark_alt', 'favicon_alt', 'cover_alt', 'social_image_alt'],
}

/** Tables of texts, and the column with the id of the row that each text is of. */
const bodies: Readonly<Record<string, string>> = { lesson_body: 'lesson_id', post_body: 'post_id' }

interface Column {
  table: string
  column: string
  type: string
}

/**
 * Writes a marker into every text of a school that no visitor may read: all tables, all columns, but for the public fields of rows
 * that visitors see. Whatever is not declared to be public is taken to be secret.
 * @returns the marker of each column in which at least one row got one
 */
export async function plantMarkers(database: Database, schoolId: string): Promise<string[]> {
  const columns = await database.sql.query<Column>(
    `SELECT c.table_name AS "table", c.column_name AS "column", c.udt_name AS type
       FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.udt_name IN ('text', 'jsonb', '_text')
        AND (c.table_name = 'school' OR EXISTS (SELECT 1 FROM information_schema.columns own
             WHERE own.table_schema = 'public' AND own.table_name = c.table_name AND own.column_name = 'school_id'))
      ORDER BY 1, 2`,
  )
  const planted: string[] = []
  const visible = await visibleRows(database, schoolId)
  for (const { table, column, type } of columns) {
    if (structural.test(column) || sealed.includes(table) || isChoice(table, column)) continue
    const marker = `${secretMark}-${table}-${column}`.replaceAll('_', '-')
    const key = bodies[table] ?? 'id'
    const rows = visible.get(table)
    // Unlisted rows can be reached by their URL: a slug is secret only if the row is.
    const spared =
      rows === undefined
        ? []
        : isGatedColumn(table, column)
          ? rows.ungated
          : isPublicColumn(table, column)
            ? rows.seen
            : isOwnColumn(table, column)
              ? rows.open
              : []
    const condition = spared.length > 0 ? sql`AND NOT (${sql.ref(key)} = ANY(${spared}::uuid[]))` : sql``
    const { numAffectedRows } = await sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${planting(column, type, marker)}
        WHERE ${sql.ref(table === 'school' ? 'id' : 'school_id')} = ${schoolId}::uuid ${condition}`.execute(database.kysely)
    if ((numAffectedRows ?? 0n) > 0n) planted.push(marker)
  }
  return planted
}

/** Returns the value with its marker in the format of the column. */
function planting(column: string, type: string, marker: string): Expression<unknown> {
  const own = sql.ref(column)
  if (type === '_text') return sql`array_append(${own}, ${marker}::text)`
  if (type === 'jsonb') {
    // Prose alone: words with a space between them.
    const prose = sql`regexp_replace(${own}::text, '": "([^"\\\\]* [^"\\\\]*)"', ${`": "\\1 ${marker}"`}, 'g')::jsonb`
    return column === 'metadata' ? sql`${prose} || jsonb_build_object('note', ${`a note ${marker}`}::text)` : prose
  }
  // Unique in its school.
  if (/slug|external_id|email|storage_key|filename/.test(column)) {
    const unique = sql`${marker}::text || '-' || md5(coalesce(${own}, random()::text))`
    return column.includes('email') ? sql`${unique} || '@example.test'` : column === 'filename' ? sql`${unique} || '.webp'` : unique
  }
  return sql`coalesce(${own} || ' ', '') || ${marker}::text`
}

const declared = resources.filter((one): one is Resource => 'operations' in one)
const isOpenToVisitors = ({ audiences }: Resource): boolean => audiences.includes('anonymous')
const fieldOf = (resource: Resource, column: string): z.ZodType | undefined => resource.schema.shape[column] as z.ZodType | undefined

const isChoice = (table: string, column: string): boolean =>
  declared.some((one) => {
    const field = one.table === table && fieldOf(one, column)
    return field && unwrapped(field) instanceof z.ZodEnum
  })

const isPublicColumn = (table: string, column: string): boolean =>
  publicParts[table]?.includes(column) ||
  declared.some((one) => {
    const field = one.table === table && isOpenToVisitors(one) && fieldOf(one, column)
    return field && viewOf(field) === 'public'
  })

/** Public in some rows of the table, and in others not. */
const isGatedColumn = (table: string, column: string): boolean =>
  declared.some((one) => one.table === table && one.gatedFields.includes(column))

/** Columns of the `own` view. They are public if the row is open to visitors. */
const isOwnColumn = (table: string, column: string): boolean =>
  table in bodies ||
  // The first words of the text.
  (table === 'post' && column === 'automatic_excerpt') ||
  declared.some((one) => {
    const field = one.table === table && fieldOf(one, column)
    return field && viewOf(field) === 'own'
  })

interface VisibleRows {
  seen: string[]
  open: string[]
  /** The rows among them whose gated fields are public. */
  ungated: string[]
}

/** The rows of each table that visitors see, and those whose own view is public. */
async function visibleRows(database: Database, schoolId: string): Promise<Map<string, VisibleRows>> {
  const rows = new Map<string, VisibleRows>()
  const kysely = database.kysely as unknown as Kysely<AnyTables>
  for (const resource of declared.filter(isOpenToVisitors)) {
    const { table, visibility, unlisted, views, ungated } = resource
    const idsWhere = async (rule: (rows: AnyRows) => Expression<SqlBool>): Promise<string[]> => {
      const found = await kysely
        .selectFrom(table as 'any_table')
        .select('id')
        .where(table === 'school' ? 'id' : 'school_id', '=', schoolId)
        .where((inner) => rule(inner as AnyRows))
        .execute()
      return found.map(({ id }) => id)
    }
    const seen = await idsWhere((inner) => {
      const listed = visibility.anonymous(inner, { kind: 'anonymous', schoolId } as never)
      return unlisted ? inner.or([listed, unlisted(inner)]) : listed
    })
    const { open } = views
    rows.set(table, {
      seen,
      open: open ? await idsWhere((inner) => open(inner, undefined as never)) : [],
      ungated: ungated ? (await idsWhere(ungated)).filter((id) => seen.includes(id)) : [],
    })
  }
  const products = rows.get('digital_product')?.seen ?? []
  const files = await database.sql.query<{ id: string; file_id: string }>(
    'SELECT id, file_id FROM product_file WHERE school_id = $1 AND product_id = ANY($2)',
    [schoolId, products],
  )
  rows.set('product_file', { seen: files.map(({ id }) => id), open: [], ungated: [] })
  rows.set('file', { seen: files.map((file) => file.file_id), open: [], ungated: [] })
  for (const table of Object.keys(bodies)) {
    const owners = rows.get(table.replace(/_body$/, ''))
    if (owners) rows.set(table, { seen: [], open: owners.open, ungated: [] })
  }
  return rows
}
