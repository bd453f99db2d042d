import { isObject } from '../../base/text/jsonValue.ts'
import type { ApiResponse, Call } from '../call.ts'
import type { RichText } from '../externalServices.ts'

const most = 20

/** Adds `removed` to the response of a write: what sanitising removed from the texts in HTML that were sent. The ETag stays that of the row. */
export async function reportRemoved(
  { operation, body, externalServices }: Pick<Call, 'operation' | 'externalServices'> & { body: unknown },
  response: ApiResponse,
): Promise<ApiResponse> {
  if (!['create', 'update', 'replace'].includes(operation.kind) || response.status >= 300) return response
  const texts = htmlTexts(body, response.body)
  if (texts.length === 0) return response
  const removed = [...new Set(await externalServices.markup.removed(texts))].slice(0, most)
  if (removed.length === 0) return response
  const whole = { ...response.body, removed }
  return { ...response, body: whole, text: JSON.stringify(whole) }
}

/**
 * Returns the texts in HTML at any depth of a body: a text whose format is `html`, and the member `html` of a block. A patch need not repeat the
 * format, which is in the row then.
 */
function htmlTexts(value: unknown, row: Readonly<Record<string, unknown>> = {}): RichText[] {
  if (Array.isArray(value)) return value.flatMap((one) => htmlTexts(one))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]): RichText[] => {
    if (typeof member !== 'string') return htmlTexts(member)
    const format = value[`${name}_format`] ?? row[`${name}_format`]
    return format === 'html' || name === 'html' ? [{ text: member, format: 'html', field: name }] : []
  })
}
