import { fromPublicId } from '../lib/ids.ts'
import { Problem } from '../lib/problem.ts'
import type { Answer, Call } from './call.ts'
import { rowEtag } from './etag.ts'
import { slugForm } from './fields.ts'
import { present } from './present.ts'
import type { Resource } from './resource.ts'
import { findRow, type RowKey } from './rows.ts'

/**
 * One row in the caller's view.
 * @throws Problem invalid_id, or not_found where the row does not exist for the caller
 */
export async function answerRow(call: Call): Promise<Answer> {
  const { operation, database, sight, parameters } = call
  const { resource } = operation
  const row = await findRow(
    database,
    sight,
    resource.isSingleton ? undefined : keyOf(resource, parameters.get(resource.hasSlug ? 'id_or_slug' : 'id') as string),
  )
  if (!row) throw new Problem('not_found', { description: `There is no such ${resource.object.replaceAll('_', ' ')}.` })
  const body = present(resource, row, call)
  const text = JSON.stringify(body)
  return { status: operation.successStatus, body, text, etag: rowEtag(row.version, row.seen_as, text) }
}

// Slugs contain no underscore, so an id of the wrong kind is never taken for a slug.
function keyOf({ idPrefix, hasSlug, object }: Resource, text: string): RowKey {
  const id = fromPublicId(idPrefix, text)
  if (id !== undefined) return { column: 'id', value: id }
  if (hasSlug && slugForm.test(text)) return { column: 'slug', value: text }
  const forms = `an id (${idPrefix}_ and 26 characters)${hasSlug ? ' or a slug (lower-case words joined by hyphens)' : ''}`
  throw new Problem('invalid_id', { description: `A ${object.replaceAll('_', ' ')} is named by ${forms}.` })
}
