import { sql } from 'kysely'
import { languageTagOf } from '../../base/text/languages.ts'
import { nameWeights } from '../../base/text/nameWeights.ts'
import type { Database, Reader, Writer } from '../connection/database.ts'
import type { ColumnName, TableName } from '../statements/columns.ts'
import { now } from '../statements/expressions.ts'
import { unnest } from '../statements/unnest.ts'

/** The column with the name of a row, by table. Triggers keep its place in the order of names, in the column `<name>_order`. */
const namedTables = {
  course: 'title',
  digital_product: 'title',
  form: 'title',
  lecturer: 'display_name',
  membership_plan: 'name',
  page: 'title',
  person: 'name',
  post: 'title',
} as const satisfies { [Table in TableName]?: ColumnName<Table> }

/** Rows of one statement of the job: about a tenth of a second. */
const batchRows = 500

/**
 * Lets the names that are written from now on follow the language of each school: stores the weights of its letters and the language.
 * Names that are already stored wait for `orderNames`.
 */
export async function followLanguages(db: Reader): Promise<void> {
  const schools = await db
    .selectFrom('school')
    .leftJoin('name_language', 'name_language.school_id', 'school.id')
    .select(['school.id', 'school.locale', 'name_language.language'])
    .execute()
  const wanted = new Map(schools.map(({ locale }) => [locale, orderOf(locale)]))
  const changed = schools.flatMap(({ id, locale, language }) => {
    const next = wanted.get(locale) ?? orderOf(locale)
    return next === language ? [] : [{ school_id: id, language: next, ordered_at: null }]
  })
  const known = await db.selectFrom('name_weight').select('language').where('unit', '=', '').execute()
  const missing = new Set(wanted.values()).difference(new Set(known.map(({ language }) => language)))
  for (const language of missing) await storeWeights(db, language)
  for (let start = 0; start < changed.length; start += batchRows) {
    await db
      .insertInto('name_language')
      .values(changed.slice(start, start + batchRows))
      .onConflict((conflict) =>
        conflict.column('school_id').doUpdateSet(({ ref }) => ({ language: ref('excluded.language'), ordered_at: null })),
      )
      .execute()
  }
}

/** Returns the language and the script whose order a locale has: `de-Latn` for `de-AT`. */
function orderOf(locale: string): string {
  const { language, script } = new Intl.Locale(languageTagOf(locale) ?? 'en').maximize()
  return script === undefined ? language : `${language}-${script}`
}

async function storeWeights(db: Reader, language: string): Promise<void> {
  const weights = nameWeights(language)
  const text = <Name extends keyof (typeof weights)[number]>(name: Name) =>
    ({ type: 'text', values: weights.map((one) => one[name]) }) as const
  await db
    .insertInto('name_weight')
    .columns(['language', 'unit', 'letter', 'accent', 'capital'])
    .expression((rows) =>
      rows
        .selectFrom(unnest('weight', { unit: text('unit'), letter: text('letter'), accent: text('accent'), capital: text('capital') }))
        .select((weight) => [
          weight.cast<string>(weight.val(language), 'text').as('language'),
          ...(['weight.unit', 'weight.letter', 'weight.accent', 'weight.capital'] as const),
        ]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Puts the stored names of schools whose language has changed into its order, in batches. Ends early when the signal aborts: the next run
 * begins again. Returns the number of rows.
 */
export async function orderNames(database: Pick<Database, 'kysely' | 'transaction'>, signal?: AbortSignal): Promise<number> {
  const { kysely } = database
  await followLanguages(kysely)
  const waiting = await kysely.selectFrom('name_language').select(['school_id', 'language']).where('ordered_at', 'is', null).execute()
  let done = 0
  for (const { school_id: schoolId, language } of waiting) {
    for (const [table, column] of Object.entries(namedTables)) {
      let ids: string[] = [nilUuid]
      do {
        const after = ids.reduce((last, id) => (id > last ? id : last))
        ids = await database.transaction((writer) => orderBatch(writer, { schoolId, table, column, after }))
        done += ids.length
        if (signal?.aborted) return done
      } while (ids.length === batchRows)
    }
    const school = kysely.updateTable('name_language').set({ ordered_at: now }).where('school_id', '=', schoolId)
    await school.where('language', '=', language).execute()
  }
  return done
}

const nilUuid = '00000000-0000-0000-0000-000000000000'

/** Writes the names of the next rows again, so that their triggers compute their places. Returns the ids of the rows. */
async function orderBatch(
  writer: Writer,
  { schoolId, table, column, after }: { schoolId: string; table: string; column: string; after: string },
): Promise<string[]> {
  const name = sql.id(column)
  const { rows } = await sql<{ id: string }>`
    WITH batch AS (
      SELECT id FROM ${sql.table(table)} WHERE school_id = ${schoolId} AND id > ${after} ORDER BY id LIMIT ${batchRows} FOR NO KEY UPDATE)
    UPDATE ${sql.table(table)} AS named SET ${name} = named.${name} FROM batch
     WHERE named.school_id = ${schoolId} AND named.id = batch.id
    RETURNING named.id`.execute(writer)
  return rows.map(({ id }) => id)
}
