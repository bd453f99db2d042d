import { isObject } from '../../base/text/jsonValue.ts'
import type { ApiResponse, Call } from '../call.ts'
import type { RichText } from '../externalServices.ts'

const most = 20

/** Adds `removed` to the response of a write: what sanitising removed from the texts that were sent. The ETag stays that of the row. */
export async function reportRemoved(
  { operation, body, externalServices, school }: Pick<Call, 'operation' | 'externalServices' | 'school'> & { body: unknown },
  response: ApiResponse,
): Promise<ApiResponse> {
  if (!['create', 'update', 'replace'].includes(operation.kind) || response.status >= 300) return response
  const texts = richTexts(body, response.body).map((text) => ({ ...text, origin: school.issuer }))
  if (texts.length === 0) return response
  const removed = [...new Set(await externalServices.markup.removed(texts))].slice(0, most)
  if (removed.length === 0) return response
  const whole = { ...response.body, removed }
  return { ...response, body: whole, text: JSON.stringify(whole) }
}

/**
 * Returns the rich texts at any depth of a body: a text that has a format, and the member `html` of a block. A patch need not repeat the format,
 * which is in the row then.
 */
function richTexts(value: unknown, row: Readonly<Record<string, unknown>> = {}): RichText[] {
  if (Array.isArray(value)) return value.flatMap((one) => richTexts(one))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]): RichText[] => {
    if (typeof member !== 'string') return richTexts(member)
    const format = value[`${name}_format`] ?? row[`${name}_format`] ?? (name === 'html' ? 'html' : undefined)
    const isRich = format !== undefined || row[`${name}_html`] !== undefined
    return isRich ? [{ text: member, format: format === 'html' ? 'html' : 'markdown', field: name }] : []
  })
}
