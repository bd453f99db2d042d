/**
 * Lists every error that the service reports to a caller. REST, OAuth, MCP and the pages render the entries of this table.
 *
 * Codes are those of RFC 6749 section 5.2, RFC 6750 section 3.1, RFC 7591 section 3.2.2, RFC 8707 section 2 and the school's API.
 */
export const problems = {
  invalid_request: { status: 400, description: 'The request is malformed.' },
  invalid_parameter: { status: 400, description: 'A parameter is unknown or has an invalid value.' },
  invalid_cursor: { status: 400, description: 'The cursor does not belong to this list. Start again without a cursor.' },
  invalid_id: { status: 400, description: 'The id does not have the format that is expected here.' },
  invalid_json: { status: 400, description: 'The body is not valid JSON.' },
  invalid_token: {
    status: 401,
    description: 'The access token is malformed, unknown, expired or revoked. Request a new token and try again.',
  },
  invalid_redirect_uri: { status: 400, description: 'A redirect URI is not allowed by this service.' },
  invalid_client_metadata: { status: 400, description: 'The client metadata has an invalid value.' },
  invalid_client: { status: 401, description: 'The client is unknown or its authentication failed.' },
  insufficient_scope: { status: 403, description: 'The access token does not have the scope that this operation requires.' },
  signature_invalid: { status: 403, description: 'The signed URL is invalid or already used. Request a new one.' },
  approval_required: {
    status: 403,
    description: 'The person decides about this first. Give them the address in details, and repeat the request for its response.',
  },
  access_denied: { status: 403, description: 'You do not have permission to do this.' },
  not_found: { status: 404, description: 'Not found: it does not exist, or you cannot see it.' },
  method_not_allowed: { status: 405, description: 'This URL does not support this method. The Allow header lists the supported ones.' },
  not_acceptable: { status: 406, description: 'The response is not available in any format of the Accept header.' },
  payload_too_large: { status: 413, description: 'The body is larger than the limit for this URL.' },
  uri_too_long: { status: 414, description: 'The URL is longer than 8 KiB.' },
  unsupported_media_type: { status: 415, description: 'This URL does not accept the Content-Type of the body.' },
  misdirected_request: { status: 421, description: 'No school is served at this host name.' },
  slug_taken: { status: 409, description: 'This slug is already in use. Choose another one.' },
  external_id_taken: { status: 409, description: 'This external_id is already in use. Choose another one.' },
  email_taken: { status: 409, description: 'This e-mail address is already used by another person of the school.' },
  code_taken: { status: 409, description: 'This coupon code is already in use. Choose another one.' },
  active_subscription: {
    status: 409,
    description: 'The person has an active subscription. Cancel it first, or request its cancellation in the same call.',
  },
  already_subscribed: { status: 409, description: 'The person already has a subscription to this plan.' },
  event_full: { status: 409, description: 'The event has too few free seats, and no waitlist.' },
  rsvp_closed: { status: 409, description: 'The event does not accept RSVPs at this time.' },
  coupon_unavailable: { status: 409, description: 'The coupon is not active, has expired or is used up.' },
  coupon_already_used: { status: 409, description: 'The person has reached the usage limit of this coupon.' },
  lesson_locked: { status: 409, description: 'The lesson is currently locked for this person.' },
  attempts_exhausted: { status: 409, description: 'The person has no attempts left at this quiz.' },
  last_price: { status: 409, description: 'An active plan needs at least one active price. Add another price first.' },
  currency_locked: { status: 409, description: 'The currency cannot be changed because the school has paid orders.' },
  download_limit_reached: { status: 409, description: 'The download limit has been reached.' },
  last_owner: {
    status: 409,
    description: 'A school needs at least one owner who can sign in. Make another person an owner first.',
  },
  self_change: { status: 409, description: 'You cannot change your own role. Ask another owner.' },
  invalid_state: { status: 409, description: 'The current status does not allow this operation.' },
  quota_exceeded: { status: 409, description: 'The file exceeds the storage quota of the school. Delete unused files first.' },
  resource_in_use: { status: 409, description: 'This cannot be deleted because other objects refer to it.' },
  changed_since: {
    status: 409,
    description:
      'It cannot be taken back as a whole, because it was changed since. See details. Send conflicts=keep to leave the later changes.',
  },
  not_undoable: { status: 409, description: 'This cannot be taken back: the request cannot be undone, was undone already, or is too old.' },
  section_not_empty: {
    status: 409,
    description: 'The section contains lessons. Move them, or send cascade=true to delete them with the section.',
  },
  curriculum_full: { status: 409, description: 'The course has reached its maximum number of sections or lessons.' },
  idempotency_in_progress: {
    status: 409,
    description: 'A request with this Idempotency-Key is still being processed. Try again shortly.',
  },
  reference_reused: {
    status: 409,
    description: 'This reference was already used with another body. Use a new reference for each new report.',
  },
  upload_expired: { status: 410, description: 'The upload URL has expired. Request a new one.' },
  cursor_expired: {
    status: 410,
    description: 'The cursor is too old: changes may be missing. Read the lists again and start with cursor=latest.',
  },
  precondition_failed: {
    status: 412,
    description: 'The object has changed since you read it. Read it again and repeat your change with the new ETag.',
  },
  range_not_satisfiable: { status: 416, description: 'The requested range is beyond the end of the file.' },
  validation_failed: { status: 422, description: 'The body is not valid. See details for each field.' },
  unknown_field: { status: 422, description: 'The body has a field that does not exist.' },
  read_only_field: { status: 422, description: 'The body has a field that cannot be written.' },
  immutable_field: { status: 422, description: 'The body has a field that can be set only at creation.' },
  invalid_reference: { status: 422, description: 'The body refers to an object that does not exist.' },
  type_not_allowed: { status: 422, description: 'Files of this type are not allowed for this purpose.' },
  checksum_mismatch: { status: 422, description: 'The uploaded bytes do not match the announced checksum.' },
  not_publishable: { status: 422, description: 'Required fields are missing. Complete them before you publish.' },
  low_contrast: {
    status: 422,
    description: 'The contrast between text and background is too low. Choose colours with more contrast.',
  },
  incomplete_order: {
    status: 422,
    description: 'The order must contain every section and every lesson of the course once. Read the curriculum and send all of it.',
  },
  checkout_required: { status: 422, description: 'Payment required. See details for the checkout URL.' },
  reserved_slug: { status: 422, description: 'This slug is reserved for URLs of the API. Choose another one.' },
  idempotency_key_reused: {
    status: 422,
    description:
      'This Idempotency-Key was already used for a request with another body, which succeeded. Use a new key for each new request.',
  },
  query_too_expensive: { status: 422, description: 'This combination of filters takes too long. Use fewer filters or a smaller range.' },
  precondition_required: { status: 428, description: 'If-Match is required: send the ETag of the version that you want to change.' },
  rate_limited: { status: 429, description: 'Too many requests. Wait for the number of seconds in Retry-After.' },
  header_too_long: { status: 431, description: 'A header of the request is longer than its limit.' },
  server_error: { status: 500, description: 'Internal error. Include the request id when you contact support.' },
  temporarily_unavailable: { status: 503, description: 'The service is temporarily unavailable. Try again shortly.' },
} as const satisfies Record<string, { status: number; description: string }>

export type ProblemCode = keyof typeof problems

/** Describes one invalid field or parameter, or gives one machine-readable hint. */
export interface ProblemDetail {
  field?: string
  code: string
  message: string
  meta?: Record<string, unknown>
}

/** Returns the detail that names a field or parameter, the code of the rule that it breaks, and a message. */
export function fieldError(field: string, code: string, message: string): ProblemDetail {
  return { field, code, message: `${field}: ${message}` }
}

export interface ProblemOptions {
  /** Replaces the table's text. Plain ASCII without `"` and `\` (RFC 6749 section 5.2). */
  description?: string
  details?: ProblemDetail[]
  headers?: Record<string, string>
  /** Every scope that the operation needs, for the challenge of RFC 6750 section 3. */
  requiredScopes?: readonly string[]
  limit?: string
  cause?: unknown
}

/** The only error class that reaches callers. Any other error is a bug and becomes `server_error`. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly description: string
  readonly details: ProblemDetail[]
  readonly headers: Record<string, string>
  readonly requiredScopes: readonly string[]
  readonly limit: string | undefined

  constructor(code: ProblemCode, { description, details = [], headers = {}, requiredScopes = [], limit, cause }: ProblemOptions = {}) {
    const text = plainAscii(description ?? problems[code].description)
    const { status } = problems[code]
    const frames = Error.stackTraceLimit
    // A rejected request is not a defect, and its stack trace would cost a tenth of the CPU of the request.
    if (status < 500) Error.stackTraceLimit = 0
    super(`${code}: ${text}`, { cause })
    Error.stackTraceLimit = frames
    this.name = 'Problem'
    this.code = code
    this.status = status
    this.description = text
    this.details = details
    this.headers = headers
    this.requiredScopes = requiredScopes
    this.limit = limit
  }
}

/** Returns the problem of one field of the request: see `fieldError`. */
export const fieldProblem = (problem: ProblemCode, ...error: Parameters<typeof fieldError>): Problem =>
  new Problem(problem, { details: [fieldError(...error)] })

/** Keeps a text within the characters that RFC 6749 section 5.2 allows in `error_description`. */
export function plainAscii(text: string): string {
  return text
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replace(/[^\x20-\x7e]/g, '?')
}
