import type { Reader, Writer } from '../connection/database.ts'
import { daySeconds, secondsFromNow } from '../statements/expressions.ts'

export interface SlugOf {
  schoolId: string
  type: string
  slug: string
}

/** How long a former slug leads to its row. */
const keptSeconds = daySeconds(365)

/** How long a path of another site does: links to it stay. */
const pathSeconds = daySeconds(36_500)

/** Returns the id of the row that had this slug; undefined if none had it or the year has passed. */
export async function findFormerSlug(database: Reader, { schoolId, type, slug }: SlugOf): Promise<string | undefined> {
  const row = await database
    .selectFrom('former_slug')
    .select('row_id')
    .where('school_id', '=', schoolId)
    .where('type', '=', type)
    .where('slug', '=', slug)
    .where('expires_at', '>', secondsFromNow(0))
    .executeTakeFirst()
  return row?.row_id
}

/** Returns the row that had this path on another site: the newest, if rows of several types had it. */
export async function findFormerPath(
  database: Reader,
  { schoolId, types, path }: { schoolId: string; types: readonly string[]; path: string },
): Promise<{ type: string; row_id: string } | undefined> {
  return await database
    .selectFrom('former_slug')
    .select(['type', 'row_id'])
    .where('school_id', '=', schoolId)
    .where('type', 'in', [...types])
    .where('slug', '=', path)
    .where('expires_at', '>', secondsFromNow(0))
    .orderBy('expires_at', 'desc')
    .executeTakeFirst()
}

/** Returns those of the slugs that rows had before. */
export async function listFormerSlugs(
  database: Reader,
  { schoolId, type, slugs }: Omit<SlugOf, 'slug'> & { slugs: readonly string[] },
): Promise<string[]> {
  const rows = await database
    .selectFrom('former_slug')
    .select('slug')
    .where('school_id', '=', schoolId)
    .where('type', '=', type)
    .where('slug', 'in', [...slugs])
    .where('expires_at', '>', secondsFromNow(0))
    .execute()
  return rows.map(({ slug }) => slug)
}

/** Lets a slug lead to the row that had it, for a year. */
export const keepFormerSlug = (writer: Writer, slug: SlugOf, rowId: string): Promise<void> => keep(writer, slug, rowId, keptSeconds)

/** Lets a path of another site, in the form of `formerPath`, lead to the row. It begins with a slash, which no slug does. */
export const keepFormerPath = (writer: Writer, path: SlugOf, rowId: string): Promise<void> => keep(writer, path, rowId, pathSeconds)

async function keep(writer: Writer, { schoolId, type, slug }: SlugOf, rowId: string, seconds: number): Promise<void> {
  const kept = { row_id: rowId, expires_at: secondsFromNow(seconds) }
  await writer
    .insertInto('former_slug')
    .values({ school_id: schoolId, type, slug, ...kept })
    .onConflict((conflict) => conflict.columns(['school_id', 'type', 'slug']).doUpdateSet(kept))
    .execute()
}

/** Frees a slug that a row takes, or that has expired. */
export async function freeFormerSlug(writer: Writer, { schoolId, type, slug }: SlugOf): Promise<void> {
  await writer.deleteFrom('former_slug').where('school_id', '=', schoolId).where('type', '=', type).where('slug', '=', slug).execute()
}

export async function freeSlugsOf(writer: Writer, { schoolId, type, id }: Omit<SlugOf, 'slug'> & { id: string }): Promise<void> {
  await writer.deleteFrom('former_slug').where('school_id', '=', schoolId).where('type', '=', type).where('row_id', '=', id).execute()
}

export async function sweepFormerSlugs(database: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .with('old', (one) =>
      one
        .selectFrom('former_slug')
        .select(['school_id', 'type', 'slug'])
        .where('expires_at', '<', secondsFromNow(0))
        .orderBy('expires_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom('former_slug')
    .using('old')
    .whereRef('former_slug.school_id', '=', 'old.school_id')
    .whereRef('former_slug.type', '=', 'old.type')
    .whereRef('former_slug.slug', '=', 'old.slug')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
