import type { Writer } from '../../store/database.ts'
import { slugForm } from './fields.ts'
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

/** True if a slug is, or begins with, a reserved word. */
export const isReserved = (resource: Pick<Resource, 'reservedSlugs'>, slug: string): boolean =>
  reservedSlugs.has(slug) || resource.reservedSlugs.includes(String(slug.split('/')[0]))

const maxLength = 96
const tries = 50

/** Returns the slug of a title: `Clay, From Scratch!` → `clay-from-scratch`. Empty if the title has no usable characters. */
export function slugOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('æ', 'ae')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  let slug = ''
  for (const word of words) {
    const longer = slug === '' ? word.slice(0, maxLength - 4) : `${slug}-${word}`
    if (longer.length > maxLength - 4) break
    slug = longer
  }
  return slug
}

/**
 * Locks the slugs of this table until the transaction ends, so that no other transaction can take a generated slug between the check that
 * it is free and the write.
 */
export async function lockSlugs(writer: Writer, { table }: Pick<Resource, 'table'>, schoolId: string): Promise<void> {
  await writer
    .selectNoFrom((row) => {
      const key = row.fn<string>('hashtextextended', [row.cast<string>(row.val(`slugs of ${table} in ${schoolId}`), 'text'), row.lit(0)])
      return row.fn('pg_advisory_xact_lock', [key]).as('locked')
    })
    .execute()
}

/** Returns an unused slug for the title: the first free one of `title`, `title-2`, `title-3` …, or one with the row's id. */
export async function freeSlug(
  writer: Writer,
  resource: Resource,
  { schoolId, title, id }: { schoolId: string; title: string; id: string },
) {
  await lockSlugs(writer, resource, schoolId)
  const base = slugOf(title) || resource.object.replaceAll('_', '-')
  const candidates = Array.from({ length: tries }, (_, index) => (index === 0 ? base : `${base}-${index + 1}`)).filter(
    (slug) => !isReserved(resource, slug) && slugForm.test(slug),
  )
  const rows = await tables(writer)
    .selectFrom(tableOf(resource))
    .select('slug')
    .where('school_id', '=', schoolId)
    .where('slug', 'in', candidates)
    .execute()
  const taken = new Set(rows.map(({ slug }) => slug))
  return candidates.find((slug) => !taken.has(slug)) ?? `${base.slice(0, 60)}-${id.slice(-12)}`
}
