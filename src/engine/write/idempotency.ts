import { createHash } from 'node:crypto'
import type { PersonCaller } from '../../base/caller.ts'
import { Problem, type ProblemCode, type ProblemDetail } from '../../base/problem.ts'
import { canonicalJson } from '../../base/text/canonicalJson.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { findStoredResponse, idempotencyId, lockKey, type StoredResponse, storeResponse } from '../../database/tables/idempotency.ts'
import type { ApiResponse, RequestInput } from '../call.ts'
import type { Operation } from '../declare/operations.ts'
import type { ExternalServices } from '../externalServices.ts'

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

/** Returns what a key is valid for: the client, the account, the method, the path and the key. Undefined for a request without a key. */
export function keyedBy(
  operation: Operation,
  { clientId, accountId }: PersonCaller,
  { idempotencyKey, target = operation.path }: Pick<RequestInput, 'idempotencyKey' | 'target'>,
): string[] | undefined {
  const key = operation.method === 'POST' ? parseKey(idempotencyKey) : undefined
  return key === undefined ? undefined : [clientId, accountId, operation.method, target.split('?')[0] ?? '', key]
}

/** True if a response is stored under the key of the request. */
export async function isAnswered(
  reader: SchoolReader,
  { schoolId, id }: Pick<KeyedRequest, 'schoolId'> & { id: readonly string[] | undefined },
): Promise<boolean> {
  return id !== undefined && (await findStoredResponse(reader, schoolId, idempotencyId(id))) !== undefined
}

export interface KeyedRequest {
  schoolId: string
  /** See keyedBy. */
  id: readonly string[]
  /** The rest of the request, which must not differ in a repetition. */
  content: readonly unknown[]
}

/**
 * Does the work once for a key, and returns the stored response to every later request. Work that throws changes nothing: its transaction is
 * rolled back and the key is free, so that the corrected request can have the same key.
 * @throws Problem idempotency_in_progress, idempotency_key_reused, Problems of the work, and stored ones: those of erased responses, and of
 * earlier releases
 */
export async function onceUnderKey(
  { writer, externalServices: { storedResponses } }: { writer: SchoolWriter; externalServices: Pick<ExternalServices, 'storedResponses'> },
  request: KeyedRequest,
  work: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { schoolId } = request
  const id = idempotencyId(request.id)
  const fingerprint = createHash('sha256').update(canonicalJson(request.content)).digest('base64url')
  if (!(await lockKey(writer, schoolId, id))) throw new Problem('idempotency_in_progress', { headers: { 'Retry-After': '1' } })
  const found = await findStoredResponse(writer, schoolId, id)
  if (found) {
    if (found.fingerprint !== fingerprint) throw new Problem('idempotency_key_reused')
    const body = storedResponses.open(found.body)
    if (body === undefined) throw new Problem('idempotency_key_reused', { description: unreadable })
    return replayed({ ...found, body })
  }
  const response = await work()
  if (response.isUnchanged) return response
  const stored = storedResponse(response, fingerprint)
  await storeResponse(writer, schoolId, id, { ...stored, body: storedResponses.seal(stored.body) })
  return response
}

const unreadable =
  'This request was done before, and its response cannot be read any more, because a secret key of the service was removed.'

const storedResponse = ({ status, headers = {}, etag, text }: ApiResponse, fingerprint: string): StoredResponse => ({
  fingerprint,
  status,
  headers: { ...headers, ...(etag && { etag }) },
  body: text,
})

const mark = { 'Idempotent-Replayed': 'true' }

function replayed({ status, headers: { etag, ...headers }, body }: StoredResponse): ApiResponse {
  if (status < 400) {
    const parsed: Record<string, unknown> = body === '' ? {} : JSON.parse(body)
    return { status, body: parsed, text: body, etag, headers: { ...headers, ...mark } }
  }
  const { code, ...options }: { code: string; description: string; details: ProblemDetail[] } = JSON.parse(body)
  const problemOptions = { ...options, headers: { ...headers, ...(etag && { etag }), ...mark } }
  throw new Problem(code as ProblemCode, problemOptions)
}
