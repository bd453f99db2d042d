import { createHash } from 'node:crypto'
import { Problem, type ProblemCode, type ProblemDetail } from '../../lib/problem.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { Writer } from '../../store/database.ts'
import { findAnswer, idempotencyId, lockKey, type StoredAnswer, storeAnswer } from '../../store/idempotency.ts'
import { withinSavepoint } from '../../store/savepoint.ts'
import type { Answer } from '../call.ts'
import { canonical } from './canonical.ts'

/**
 * Returns the key of the header `Idempotency-Key`: a structured string in quotes, or bare.
 * @throws Problem invalid_request
 */
export function parseKey(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header) ?? []
  const key = quoted === undefined ? header : quoted.replace(/\\(["\\])/g, '$1')
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Problem('invalid_request', {
      description: 'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes.',
    })
  }
  return key
}

export interface KeyedRequest {
  schoolId: string
  /** The client, the account, the method, the path and the key. */
  id: readonly string[]
  /** The rest of the request, which must not differ in a repetition. */
  content: readonly unknown[]
}

/**
 * Does the work once for a key, and returns the stored response to every later request. A Problem is stored as well, unless a retry
 * may succeed.
 * @returns the response, or the stored Problem
 * @throws Problem idempotency_in_progress, idempotency_key_reused, and Problems that are not stored
 */
export async function onceUnderKey(
  { writer, externalServices: { storedResponses } }: { writer: Writer; externalServices: Pick<ExternalServices, 'storedResponses'> },
  request: KeyedRequest,
  work: () => Promise<Answer>,
): Promise<Answer | Problem> {
  const { schoolId } = request
  const id = idempotencyId(request.id)
  const fingerprint = createHash('sha256').update(canonical(request.content)).digest('base64url')
  if (!(await lockKey(writer, schoolId, id))) throw new Problem('idempotency_in_progress', { headers: { 'Retry-After': '1' } })
  const found = await findAnswer(writer, schoolId, id)
  if (found) {
    if (found.fingerprint !== fingerprint) throw new Problem('idempotency_key_reused')
    const body = storedResponses.open(found.body)
    if (body === undefined) throw new Problem('idempotency_key_reused', { description: unreadable })
    return replayed({ ...found, body })
  }
  const outcome = await withinSavepoint(writer, work).catch((error: unknown) => {
    if (error instanceof Problem && isKept(error)) return error
    throw error
  })
  const stored = outcome instanceof Problem ? storedProblem(outcome, fingerprint) : storedAnswer(outcome, fingerprint)
  await storeAnswer(writer, schoolId, id, { ...stored, body: storedResponses.seal(stored.body) })
  return outcome
}

const unreadable =
  'This request was done before, and its response cannot be read any more, because a secret key of the service was removed.'

const isKept = ({ status }: Problem): boolean => ![401, 403, 408, 429].includes(status) && status < 500

const storedAnswer = ({ status, headers = {}, etag, text }: Answer, fingerprint: string): StoredAnswer => ({
  fingerprint,
  status,
  headers: { ...headers, ...(etag && { etag }) },
  body: text,
})

const storedProblem = ({ status, code, description, details, headers }: Problem, fingerprint: string): StoredAnswer => ({
  fingerprint,
  status,
  headers,
  body: JSON.stringify({ code, description, details }),
})

const mark = { 'Idempotent-Replayed': 'true' }

function replayed({ status, headers: { etag, ...headers }, body }: StoredAnswer): Answer | Problem {
  if (status < 400) {
    const parsed: Record<string, unknown> = body === '' ? {} : JSON.parse(body)
    return { status, body: parsed, text: body, etag, headers: { ...headers, ...mark } }
  }
  const { code, ...options }: { code: string; description: string; details: ProblemDetail[] } = JSON.parse(body)
  const problemOptions = { ...options, headers: { ...headers, ...(etag && { etag }), ...mark } }
  return new Problem(code as ProblemCode, problemOptions)
}
