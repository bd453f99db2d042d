import { fromPublicId } from '../../lib/ids.ts'
import type { ProblemDetail } from '../../lib/problem.ts'
import type { Writer } from '../../store/database.ts'

/** Whether the page that the school names as its imprint is one that visitors can read. */
export async function checkImprint(
  { legal }: Readonly<Record<string, unknown>>,
  { writer, school }: { writer: Writer; school: { id: string } },
): Promise<ProblemDetail[]> {
  const { imprint_page_id: named } = (legal ?? {}) as { imprint_page_id?: string | null }
  const id = named && fromPublicId('pag', named)
  if (!id) return []
  const page = await writer
    .selectFrom('page')
    .select('id')
    .where('school_id', '=', school.id)
    .where('id', '=', id)
    .where('status', '=', 'published')
    .forShare()
    .executeTakeFirst()
  if (page) return []
  const field = 'legal.imprint_page_id'
  return [{ field, code: 'invalid_reference', message: `${field}: names no published page of this school` }]
}
