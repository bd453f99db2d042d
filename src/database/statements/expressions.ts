import { type AliasableExpression, type AliasedRawBuilder, type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { Stored } from '../connection/database.ts'
import { refs } from './columns.ts'

const school = refs('school')

export type Condition = Expression<SqlBool>

export type Builder<Tables extends keyof DB> = ExpressionBuilder<DB, Tables>

/** The time at which the transaction began. */
export const now: AliasableExpression<Date> = sql<Date>`now()`

/** The time at which the statement reads the database's clock. */
export const clockTime: AliasableExpression<Date> = sql<Date>`clock_timestamp()`

/** True for the rows that the transaction, which has changed something, has written. */
export const isOfTransaction = (table: keyof DB): Condition => sql<SqlBool>`age(${sql.ref(`${table}.xmin`)}) <= 0`

/** Compares a column with any number of ids in one parameter: an `in` list may exceed the limit of 65535 parameters. */
export const isAmong = (column: Expression<string>, ids: readonly string[]): Condition => sql<SqlBool>`${column} = ANY(${[...ids]}::uuid[])`

export const isAmongTexts = (column: Expression<string | null>, texts: readonly string[]): Condition =>
  sql<SqlBool>`${column} = ANY(${[...texts]}::text[])`

/** Replaces an absent time in an order. A literal, because an index over it matches only the same text. */
export const beforeAllTimes: Expression<Date> = sql<Date>`'-infinity'::timestamptz`

/** Texts that begin with this one, as a range of bytes: an index over a column with the collation C answers it. */
export function beginsWith(column: Expression<unknown>, text: string): Expression<SqlBool> {
  return sql<SqlBool>`${column} ^@ ${text}`
}

/** Texts in which this one occurs, in capitals or not, with umlauts or their digraphs: `Zuerich` is in `Zürich`. */
export function contains(column: Expression<unknown>, text: string): Expression<SqlBool> {
  const alternatives = spellingsOf(text).map((one) => sql`${column} ILIKE ${patternOf(one)}`)
  return sql<SqlBool>`(${sql.join(alternatives, sql` OR `)})`
}

export const patternOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

const umlauts = [
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
] as const

export function spellingsOf(text: string): string[] {
  const composed = text.normalize('NFC')
  const withUmlauts = umlauts.reduce((all, [umlaut, digraph]) => all.replace(new RegExp(digraph, 'gi'), umlaut), composed)
  const withDigraphs = umlauts.reduce((all, [umlaut, digraph]) => all.replace(new RegExp(umlaut, 'giu'), digraph), composed)
  return [...new Set([text, composed, withUmlauts, withDigraphs])]
}

/** The place of a row among those with the same owner, the newest first. */
export const rankWithin = (owner: Expression<unknown>, id: Expression<unknown>): Expression<number> =>
  sql<number>`(row_number() OVER (PARTITION BY ${owner} ORDER BY ${id} DESC))::int`

/**
 * True unless the school's row has these members in a JSON column. Takes the id of the school and not a column with it: the statement then
 * reads the school once, and not for each row. Read in the same query as the rows, so that a change takes effect with the next request of
 * every process.
 */
const hasNot = (column: Expression<unknown>, schoolId: string, members: Readonly<Record<string, boolean>>): Expression<SqlBool> =>
  sql<SqlBool>`NOT EXISTS (
    SELECT 1 FROM "school" WHERE ${school.id} = ${schoolId} AND ${column} @> ${JSON.stringify(members)}::jsonb)`

export const isOffered = (schoolId: string, feature: string): Expression<SqlBool> => hasNot(school.features, schoolId, { [feature]: false })

export const showsCounts = (schoolId: string): Expression<SqlBool> => hasNot(school.settings, schoolId, { show_counts: false })

export const areCommentsOn = (schoolId: string): Expression<SqlBool> => hasNot(school.settings, schoolId, { comments_enabled: false })

/** A time so many seconds after the transaction began. */
export const secondsFromNow = (seconds: number): Expression<Date> => sql<Date>`now() + make_interval(secs => ${seconds})`

/** A time so many seconds before the transaction began. */
export const secondsAgo = (seconds: number): Expression<Date> => sql<Date>`now() - make_interval(secs => ${seconds})`

export const hoursBefore = (at: Expression<Date>, hours: Expression<number | null>): Expression<Date> =>
  sql<Date>`${at} - make_interval(hours => ${hours})`

export const inHours = (hours: Expression<number>): Expression<Date> => sql<Date>`now() + make_interval(hours => ${hours})`

/** Returns a counter plus a number, which can be negative. The database keeps counters at zero or above. */
export const countedBy = (counter: Expression<number>, by: number | Expression<number>): Expression<number> =>
  sql<number>`greatest(0, ${counter} + ${by}::int)`

export const daySeconds = (days: number): number => days * 86_400

interface UnnestedTypes {
  uuid: string
  text: string
  int4: number
}

type UnnestedRow<Columns extends Record<string, keyof UnnestedTypes>> = { [Name in keyof Columns]: UnnestedTypes[Columns[Name]] }

/** A table of one row without columns, for a left join. */
export const oneRow = sql<Record<never, never>>`(SELECT)`.as('one_row')

/** Returns a table of these rows for a join, with one array parameter for each column. */
export function unnested<Alias extends string, const Columns extends Record<string, keyof UnnestedTypes>>(
  alias: Alias,
  columns: Columns,
  rows: readonly UnnestedRow<Columns>[],
): AliasedRawBuilder<UnnestedRow<Columns>, Alias> {
  const names = Object.keys(columns)
  const arrays = names.map((name) => sql`${sql.val(rows.map((row) => row[name]))}::${sql.raw(String(columns[name]))}[]`)
  return sql<UnnestedRow<Columns>>`unnest(${sql.join(arrays)})`.as<Alias>(
    sql`${sql.ref(alias)}(${sql.join(names.map((name) => sql.ref(name)))})`,
  )
}

const file = refs('file')
const fileReference = refs('file_reference')
const upload = refs('upload')

/** The columns of a picture, from which its URL is built later. */
export interface StoredImage extends Stored<'file', 'filename' | 'alt' | 'width' | 'height'> {
  file_id: string
}

/**
 * The picture that a column of a row names, within the query that reads the row: `selectImage('course', 'cover_image')` reads
 * the columns `cover_image_file_id` and `cover_image_alt`; without an alternative text in the row, that of the file applies. Null where there is none, or where its file is gone.
 */
export function selectImage(table: string, name: string): AliasableExpression<StoredImage | null> {
  const column = (ending: string) => sql.ref(`${table}.${ending}`)
  return sql<StoredImage | null>`(
    SELECT json_build_object('file_id', ${file.id}, 'filename', ${file.filename}, 'alt', coalesce(${column(`${name}_alt`)}, ${file.alt}),
                             'width', ${file.width}, 'height', ${file.height})
      FROM "file"
     WHERE ${file.school_id} = ${column(table === 'school' ? 'id' : 'school_id')}
       AND ${file.id} = ${column(`${name}_file_id`)} AND ${file.status} = 'ready')`
}

/** The columns from which the URL of an upload is built. */
export interface StoredUpload extends Stored<'file', 'id' | 'status' | 'content_type'> {
  expires_at: string
}

export const selectUpload: Expression<StoredUpload> = sql<StoredUpload>`(
    SELECT json_build_object('id', ${upload.id}, 'status', ${upload.status}, 'expires_at', ${upload.expires_at},
                             'content_type', ${file.content_type})
      FROM "file" WHERE ${file.school_id} = ${upload.school_id} AND ${file.id} = ${upload.file_id})`

/** Former revisions keep their files, but do not count: nobody sees them. */
export const countReferences: Expression<number | string> = sql<number | string>`(
    SELECT count(*) FROM "file_reference"
     WHERE ${fileReference.school_id} = ${file.school_id} AND ${fileReference.file_id} = ${file.id} AND ${fileReference.field} <> 'revisions')`
