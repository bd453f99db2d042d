const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

export const responseHeaders = {
  'Content-Location': text(
    'Current address of an object that was found by a former slug or another spelling of its slug.',
    '/api/v1/courses/clay-from-scratch',
  ),
  Deprecation: text('Since when the operation is deprecated (RFC 9745).', '@1772323200'),
  'Dry-Run': text('applied: nothing was kept.', 'applied'),
  ETag: text('Version and view of the response. Send it in If-None-Match, or in If-Match with a change.', '"17-s-9f2c01ab"'),
  Link: text('URLs of other pages, and of the authorization metadata.', '<https://school.example/api/v1/courses?cursor=abc>; rel="next"'),
  Location: text('URL of the new object.', 'https://school.example/api/v1/courses/crs_01jgwejj00e6srgkpqm2sqf05m'),
  RateLimit: text('State of the rate limit that is exhausted first: r requests are left for t seconds.', '"default";r=588;t=37'),
  'RateLimit-Policy': text('Every rate limit that applies to the request: q requests in w seconds.', '"default";q=600;w=60'),
  'Request-Id': text('Identifies the request. Include it when you contact support.', 'req_01jgwejj00e6srgkpqm2sqf05m'),
  'Retry-After': text('Seconds to wait before the next request.', '17'),
  Sunset: text('When the operation will be removed (RFC 8594).', 'Tue, 01 Sep 2026 00:00:00 GMT'),
  'WWW-Authenticate': text(
    'Error of the token, and URL of the metadata that describes how to get one (RFC 6750, RFC 9728).',
    'Bearer error="invalid_token", resource_metadata="https://school.example/.well-known/oauth-protected-resource"',
  ),
} as const

export type ResponseHeader = keyof typeof responseHeaders

/** Returns references to these headers: `{ ETag: { $ref: … } }`. */
export const headersNamed = (...names: ResponseHeader[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const header = (name: string, description: string, example: string, required = false) => ({
  name,
  in: 'header',
  ...(required && { required }),
  description,
  schema: { type: 'string' },
  example,
})

export const requestHeaders = {
  IfNoneMatch: header('If-None-Match', 'ETag of the version that you have: 304 if it is still current.', '"17-s-9f2c01ab"'),
  IfMatch: header('If-Match', 'ETag of the version that you want to change: 412 if the object has changed since.', '"17-s-9f2c01ab"'),
  NeededIfMatch: header(
    'If-Match',
    'ETag of the version that you want to change: 412 if the object has changed since, 428 without it.',
    '"17-s-9f2c01ab"',
    true,
  ),
  DryRunParameter: header(
    'Dry-Run',
    'true runs every check and responds as in earnest, with `dry_run`, and keeps nothing: no change, no e-mail, no Idempotency-Key.',
    'true',
  ),
  ProposalParameter: header(
    'Proposal',
    'Name of a proposal, 1 to 64 visible ASCII characters: the write is tried on top of the earlier ones of the proposal and added to it, and responds with `dry_run` and `proposal`; a read shows the school as they would leave it.',
    'spring-term',
  ),
  AgentReason: header(
    'Agent-Reason',
    'Why the app makes the request, in its own words, at most 200 characters. The audit trail keeps it.',
    'The teacher asked to move the course to spring.',
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'Makes retries safe: for a day, a repeated request gets the same response. A request that failed does not use up its key: correct it and send the same key again.',
    '"7c1f54be-6d5f-4fd2-9b7c-2f5cf0f3a3f5"',
  ),
} as const

export const requestHeader = (name: keyof typeof requestHeaders): { $ref: string } => ({ $ref: `#/components/parameters/${name}` })
