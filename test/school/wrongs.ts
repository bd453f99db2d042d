import { newId, toPublicId } from '../../src/base/ids.ts'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { allScopes } from './demoApi.ts'
import { namesRow, resourceOnPath, type Sending } from './derived/everyWrite.ts'

/** A file in a form. */
export const takesForm = (operation: Operation): boolean => operation.kind === 'create' && operation.rules.takes !== undefined
/** A JSON object. */
export const takesJson = (operation: Operation): boolean => operation.method !== 'DELETE' && !takesForm(operation)
/** Looks at If-Match. */
export const checksVersion = (operation: Operation): boolean => 'needsIfMatch' in operation
/** True if the operation requires If-Match, at least with some bodies. */
const needsVersion = (operation: Operation): boolean => 'needsIfMatch' in operation && operation.needsIfMatch !== false
/** Returns a member with which the body requires If-Match, if not every body does. */
const replacedMember = (operation: Operation): string | undefined =>
  'needsIfMatch' in operation && typeof operation.needsIfMatch === 'object' ? operation.needsIfMatch[0] : undefined

/** One kind of error in a request, and its response. */
interface Wrong {
  error: string
  status: number
  applies(operation: Operation): boolean
  spoil(request: Request, operation: Operation): Request
}

/** A request while it is being spoilt. */
export interface Request extends Sending {
  path: string
  scopes?: readonly string[]
  as?: string | undefined
  id: string
}

const always = (): boolean => true
const withHeader = (request: Request, name: string, value: string): Request => ({
  ...request,
  headers: { ...request.headers, [name]: value },
})

/** Every kind of error, in the order in which it is reported: a caller that fails an early check learns nothing about later ones. */
export const wrongs: readonly Wrong[] = [
  { error: 'access_denied', status: 403, applies: always, spoil: (request) => ({ ...request, as: undefined }) },
  {
    error: 'insufficient_scope',
    status: 403,
    applies: always,
    spoil: (request, { scope }) => ({ ...request, scopes: allScopes.filter((name) => name !== scope) }),
  },
  { error: 'invalid_parameter', status: 400, applies: always, spoil: (request) => ({ ...request, path: '?no_such=1' }) },
  { error: 'invalid_request', status: 400, applies: always, spoil: (request) => withHeader(request, 'if-match', 'unquoted') },
  {
    error: 'invalid_request',
    status: 400,
    applies: ({ method }) => method === 'POST',
    spoil: (request) => withHeader(request, 'idempotency-key', 'two words'),
  },
  {
    error: 'unsupported_media_type',
    status: 415,
    applies: takesJson,
    spoil: (request) => withHeader(request, 'content-type', 'text/plain'),
  },
  {
    error: 'unsupported_media_type',
    status: 415,
    applies: takesForm,
    spoil: (request) => withHeader(request, 'content-type', 'application/json'),
  },
  { error: 'invalid_json', status: 400, applies: takesJson, spoil: (request) => ({ ...request, body: '{"half":' }) },
  { error: 'invalid_id', status: 400, applies: namesRow, spoil: (request) => ({ ...request, id: 'Not_An_Id' }) },
  {
    error: 'not_found',
    status: 404,
    applies: namesRow,
    spoil: (request, operation) => ({ ...request, id: toPublicId(resourceOnPath(operation).idPrefix, newId()) }),
  },
  { error: 'precondition_failed', status: 412, applies: checksVersion, spoil: (request) => withHeader(request, 'if-match', '"999999-s"') },
  {
    error: 'precondition_required',
    status: 428,
    applies: needsVersion,
    spoil: ({ headers: { 'if-match': _tag, ...headers } = {}, ...request }, operation) => {
      const member = replacedMember(operation)
      return { ...request, headers, ...(member !== undefined && { body: { [member]: null } }) }
    },
  },
  { error: 'an invalid body', status: 422, applies: takesJson, spoil: (request) => ({ ...request, body: { no_such_field: 1 } }) },
]
