import { hash } from 'node:crypto'
import { audienceOf } from '../../policy/caller.ts'
import type { Answer, Call, Sent } from '../call.ts'
import type { Operation, OperationOf } from '../declare/operations.ts'
import { pickerOf, type View } from '../declare/views.ts'
import { csvAnswer } from '../output/csvAnswer.ts'
import { listEtag, rowEtag } from '../output/etag.ts'
import { primed, type Section, sectionsJson } from '../output/sectionsJson.ts'
import { requireVisible } from '../write/changeRow.ts'
import { parseInput } from '../write/parseBody.ts'
import { keyOfCall, noSuchRow } from './answerRow.ts'
import { findWholeRow } from './findRows.ts'
import { withinTime } from './withinTime.ts'

/**
 * Returns the response of a read on a row, in the caller's view of that row.
 * @throws Problem invalid_id, not_found, access_denied
 */
export async function answerRead(call: Call<OperationOf<'read'>>, sent: Sent): Promise<Answer> {
  const { operation, database, queryScope } = call
  const { resource, rules, output } = operation
  const body = await bodyOf(operation, sent)
  const row = await findWholeRow(database, queryScope, keyOfCall(call))
  if (!row) throw noSuchRow(resource)
  requireVisible(row, resource, rules.view ?? 'public')
  const input = parseInput(rules.input, body)
  const answer = pickerOf(output, row.seen_as)(await rules.run(call, row, input))
  const sections = rules.sections?.(call)
  if (sections) return { status: operation.successStatus, body: {}, text: '', stream: await streamed(answer, sections) }
  const text = call.format === 'html' && rules.asHtml ? rules.asHtml(answer, call) : JSON.stringify(answer)
  const type = call.format === 'html' ? { type: 'text/html', headers: htmlHeaders(rules.htmlStyle) } : {}
  return { status: operation.successStatus, body: answer, text, ...type, ...tagged(operation, rowEtag(row.version, row.seen_as, text)) }
}

/** Allows the style element of a document and nothing else. */
const htmlHeaders = (style: string | undefined): Record<string, string> =>
  style === undefined
    ? {}
    : {
        'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; frame-ancestors 'none'; base-uri 'none'`,
      }

/** Returns the response with its sections in place of the lists of the same names. */
async function streamed(answer: Record<string, unknown>, sections: readonly Section[]): Promise<NonNullable<Answer['stream']>> {
  const names = new Set(sections.map(({ name }) => name))
  const head = Object.fromEntries(Object.entries(answer).filter(([name]) => !names.has(name)))
  return { type: 'application/json', pieces: await primed(sectionsJson(head, sections)) }
}

/**
 * Returns the response of a read on the collection as a whole.
 * @throws Problem query_too_expensive
 */
export async function answerCollectionRead(call: Call<OperationOf<'collectionRead'>>, sent: Sent): Promise<Answer> {
  const { operation, caller, format } = call
  const { rules, output } = operation
  const input = parseInput(rules.input, await bodyOf(operation, sent))
  const read = await withinTime(call, 'read', rules.isHard ?? false, ({ database }) => rules.run({ ...call, database }, input))
  const body = pickerOf(output, widestView(caller))(read)
  if (format === 'csv') return csvAnswer(operation, body)
  const text = JSON.stringify(body)
  return { status: operation.successStatus, body, text, ...tagged(operation, listEtag(text)) }
}

/** Returns the body of a read by POST; an absent body is an empty object. */
async function bodyOf({ method }: Operation, sent: Sent): Promise<unknown> {
  const body = method === 'POST' ? await sent.body?.() : undefined
  return body === undefined ? {} : body
}

/** Responses to POST are not cached, so only GET has an ETag. */
const tagged = ({ method }: Operation, etag: string): { etag?: string } => (method === 'GET' ? { etag } : {})

/** Returns the widest view that the caller can have of any row. */
const widestView = (caller: Call['caller']): View =>
  (({ anonymous: 'public', learner: 'own', lecturer: 'staff', staff: 'staff' }) as const)[audienceOf(caller)]
