/**
 * Every failure that this service tells a caller about. One table; each surface renders it.
 *
 * Codes are those of RFC 6749 section 5.2, RFC 6750 section 3.1, RFC 7591 section 3.2.2, RFC 8707 section 2 and the school's API.
 */
export const problems = {
  invalid_request: { status: 400, description: 'The request cannot be understood.' },
  invalid_parameter: { status: 400, description: 'A parameter is unknown or has a wrong value.' },
  invalid_cursor: { status: 400, description: 'The cursor does not belong to this list. Start again without a cursor.' },
  invalid_id: { status: 400, description: 'The identifier is not of the form that this place takes.' },
  invalid_json: { status: 400, description: 'The body is not valid JSON.' },
  invalid_token: { status: 401, description: 'The access token is malformed, unknown, expired or revoked. Get a new one and try again.' },
  invalid_redirect_uri: { status: 400, description: 'A redirect URI is not one that this service takes.' },
  invalid_client_metadata: { status: 400, description: 'The client metadata has a wrong value.' },
  invalid_client: { status: 401, description: 'The client is unknown or did not prove who it is.' },
  insufficient_scope: { status: 403, description: 'The access token lacks a scope that this operation needs.' },
  signature_invalid: { status: 403, description: 'The signed address was altered, or it was used up. Ask for a new one.' },
  access_denied: { status: 403, description: 'This is not open to you.' },
  not_found: { status: 404, description: 'There is nothing here.' },
  method_not_allowed: { status: 405, description: 'This address does not take that method.' },
  not_acceptable: { status: 406, description: 'The answer has no form that the request accepts.' },
  payload_too_large: { status: 413, description: 'The body is larger than this address takes.' },
  uri_too_long: { status: 414, description: 'The address is longer than 8 KiB.' },
  unsupported_media_type: { status: 415, description: 'This address does not take a body of that type.' },
  misdirected_request: { status: 421, description: 'No school answers under this host name.' },
  slug_taken: { status: 409, description: 'Another row of the school has this slug.' },
  external_id_taken: { status: 409, description: 'Another row of the school has this external id.' },
  email_taken: { status: 409, description: 'Somebody else has this e-mail address here.' },
  code_taken: { status: 409, description: 'Another coupon of the school has this code.' },
  active_subscription: {
    status: 409,
    description: 'The person has a running subscription. Cancel it first, or ask for it to be cancelled along.',
  },
  already_subscribed: { status: 409, description: 'The person has this plan already.' },
  event_full: { status: 409, description: 'Every seat is taken, and the event has no waitlist.' },
  rsvp_closed: { status: 409, description: 'The event does not take answers now.' },
  coupon_unavailable: { status: 409, description: 'The coupon cannot be used, or not any more.' },
  coupon_already_used: { status: 409, description: 'The person has used this coupon as often as it allows.' },
  lesson_locked: { status: 409, description: 'The lesson is not open to this person now.' },
  attempts_exhausted: { status: 409, description: 'The quiz cannot be tried again.' },
  last_price: { status: 409, description: 'An active plan keeps a price that can be chosen. Add another one first.' },
  currency_locked: { status: 409, description: 'The currency is fixed: the school has orders that are paid.' },
  download_limit_reached: { status: 409, description: 'This has been downloaded as often as it may be.' },
  last_owner: { status: 409, description: 'A school keeps an owner who can sign in. Make somebody else an owner first.' },
  self_change: { status: 409, description: 'Nobody changes what they are to the school themselves. Ask another owner.' },
  invalid_state: { status: 409, description: 'The state that this is in does not allow that.' },
  quota_exceeded: { status: 409, description: 'The school has no room for a file of this size. Remove files that nobody uses.' },
  resource_in_use: { status: 409, description: 'Something else refers to this, so it stays.' },
  section_not_empty: { status: 409, description: 'The section has lessons. Move them, or send cascade=true to remove them with it.' },
  curriculum_full: { status: 409, description: 'A course holds no more sections or lessons than this.' },
  idempotency_in_progress: { status: 409, description: 'A request with this Idempotency-Key is still running. Try again shortly.' },
  upload_expired: { status: 410, description: 'The address for this upload is past its life. Ask for a new one.' },
  cursor_expired: {
    status: 410,
    description: 'The cursor is too old: changes may be missing. Read the lists anew and start with cursor=latest.',
  },
  precondition_failed: { status: 412, description: 'This has been changed since. Read it again and repeat the change.' },
  range_not_satisfiable: { status: 416, description: 'The file has no such stretch of bytes.' },
  validation_failed: { status: 422, description: 'The body is not valid.' },
  unknown_field: { status: 422, description: 'The body has a field that does not exist.' },
  read_only_field: { status: 422, description: 'The body has a field that cannot be written.' },
  immutable_field: { status: 422, description: 'The body has a field that can be written only once, when the row is made.' },
  invalid_reference: { status: 422, description: 'The body refers to something that does not exist.' },
  type_not_allowed: { status: 422, description: 'A file for this purpose cannot be of that type.' },
  checksum_mismatch: { status: 422, description: 'The bytes are not those that were announced.' },
  not_publishable: { status: 422, description: 'Something is missing before this can be published.' },
  low_contrast: { status: 422, description: 'The text would be hard to read on its background: choose colours that stand further apart.' },
  incomplete_order: {
    status: 422,
    description: 'The order must name every section and every lesson of the course once. Read the curriculum and send all of it.',
  },
  checkout_required: { status: 422, description: 'This has to be paid. The address of the checkout stands in the details.' },
  reserved_slug: { status: 422, description: 'This slug is kept for addresses of the API.' },
  idempotency_key_reused: {
    status: 422,
    description: 'This Idempotency-Key was used with another body. Take a new key for a new request.',
  },
  query_too_expensive: { status: 422, description: 'This combination of filters takes too long. Ask for less.' },
  precondition_required: { status: 428, description: 'Say which version you change: send its ETag as If-Match.' },
  rate_limited: { status: 429, description: 'Too many requests. Wait as long as Retry-After says.' },
  server_error: { status: 500, description: 'Something went wrong on our side. Name the request id when you ask for help.' },
  temporarily_unavailable: { status: 503, description: 'The service cannot answer just now. Try again shortly.' },
} as const satisfies Record<string, { status: number; description: string }>

export type ProblemCode = keyof typeof problems

/** One faulty field or parameter, or one machine-readable hint. */
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
  cause?: unknown
}

/** The one error that may reach a caller. Anything else that is thrown is a bug and becomes `server_error`. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly description: string
  readonly details: ProblemDetail[]
  readonly headers: Record<string, string>
  readonly requiredScopes: readonly string[]

  constructor(code: ProblemCode, { description, details = [], headers = {}, requiredScopes = [], cause }: ProblemOptions = {}) {
    const text = plainAscii(description ?? problems[code].description)
    super(`${code}: ${text}`, { cause })
    this.name = 'Problem'
    this.code = code
    this.status = problems[code].status
    this.description = text
    this.details = details
    this.headers = headers
    this.requiredScopes = requiredScopes
  }
}

/** Keeps a text within the characters that RFC 6749 section 5.2 allows in `error_description`. */
export function plainAscii(text: string): string {
  return text
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replace(/[^\x20-\x7e]/g, '?')
}
