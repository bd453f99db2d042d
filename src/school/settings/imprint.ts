import { fromPublicId } from '../../base/ids.ts'
import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'

export async function checkImprint(
  { legal }: Readonly<{ legal?: { imprint_page_id?: string | null } | null }>,
  { writer }: { writer: SchoolWriter },
): Promise<ProblemDetail[]> {
  const named = legal?.imprint_page_id
  const id = named && fromPublicId('pag', named)
  if (!id) return []
  const page = await writer
    .selectFrom('page')
    .select('id')
    .where('id', '=', id)
    .where('status', '=', 'published')
    .forShare()
    .executeTakeFirst()
  return page ? [] : [fieldError('legal.imprint_page_id', 'invalid_reference', 'must name a published page of this school')]
}
