import { Problem } from '../../base/problem.ts'
import { shortened, slugOf } from '../../base/text/slugText.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { findFormerSlug, freeFormerSlug, keepFormerSlug, listFormerSlugs } from '../../database/tables/formerSlugs.ts'
import { tableOf, tables } from './queryScope.ts'
import type { Resource } from './resource.ts'

/** Words that cannot be slugs, because paths of the API use them in the same position. */
export const reservedSlugs: ReadonlySet<string> = new Set([
  'positions',
  'bulk',
  'me',
  'labels',
  'generate',
  'validate',
  'tags',
  'import',
  'export',
  'changes',
])

export const isReserved = (resource: Pick<Resource, 'reservedSlugs'>, slug: string): boolean =>
  reservedSlugs.has(slug) || resource.reservedSlugs.includes(String(slug.split('/')[0]))

const tries = 50

/**
 * Locks the slugs of this table until the transaction ends, so that no other transaction can take a generated slug between the check that
 * it is free and the write.
 */
async function lockSlugs(writer: SchoolWriter, { table }: Pick<Resource, 'table'>, schoolId: string): Promise<void> {
  await writer
    .selectNoFrom((row) => {
      const key = row.fn<string>('hashtextextended', [row.cast<string>(row.val(`slugs of ${table} in ${schoolId}`), 'text'), row.lit(0)])
      return row.fn('pg_advisory_xact_lock', [key]).as('locked')
    })
    .execute()
}

/**
 * Lets a row take a slug. The one that it had before leads to it for a year, and no other row can take it meanwhile.
 * @throws Problem slug_taken if another row had the slug within the last year
 */
export async function takeSlug(
  writer: SchoolWriter,
  resource: Pick<Resource, 'table' | 'object'>,
  { schoolId, id, slug, before }: { schoolId: string; id?: string; slug: string; before?: string },
): Promise<void> {
  await lockSlugs(writer, resource, schoolId)
  const taken = { schoolId, type: resource.object, slug }
  const owner = await findFormerSlug(writer, taken)
  if (owner !== undefined && owner !== id)
    throw slugTaken(
      `slug: was the slug of another ${resource.object.replaceAll('_', ' ')} within the last year and leads to it. Choose another one.`,
    )
  await freeFormerSlug(writer, taken)
  if (id !== undefined && before !== undefined) await keepFormerSlug(writer, { ...taken, slug: before }, id)
}

export const slugTaken = (message: string, cause?: unknown): Problem =>
  new Problem('slug_taken', { details: [{ field: 'slug', code: 'slug_taken', message }], cause })

/** Returns an unused slug for the title: the first free one of `title`, `title-2`, `title-3` …, or one with the row's id. */
export async function freeSlug(
  writer: SchoolWriter,
  resource: Resource,
  { schoolId, title, id }: { schoolId: string; title: string; id: string },
) {
  await lockSlugs(writer, resource, schoolId)
  const { locale } = await writer.selectFrom('school').select('locale').where('id', '=', schoolId).executeTakeFirstOrThrow()
  const base = slugOf(title, locale) || resource.object.replaceAll('_', '-')
  const candidates = Array.from({ length: tries }, (_, index) => (index === 0 ? base : `${base}-${index + 1}`)).filter(
    (slug) => !isReserved(resource, slug),
  )
  const rows = await tables(writer).selectFrom(tableOf(resource)).select('slug').where('slug', 'in', candidates).execute()
  const former = await listFormerSlugs(writer, { schoolId, type: resource.object, slugs: candidates })
  const taken = new Set([...rows.map(({ slug }) => slug), ...former])
  return candidates.find((slug) => !taken.has(slug)) ?? `${shortened(base, 60)}-${id.slice(-12)}`
}
