const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

/** Headers of answers, by the names that operations refer to. */
export const answerHeaders = {
  Deprecation: text('Since when nobody should begin to use this (RFC 9745).', '@1772323200'),
  ETag: text('Version and view of what is answered: for If-None-Match, and for If-Match of a change.', '"17-s-9f2c01ab"'),
  Link: text('Pages around this one, and where tokens come from.', '<https://school.example/api/v1/courses?cursor=abc>; rel="next"'),
  Location: text('Where the new row stands.', 'https://school.example/api/v1/courses/crs_01jgwejj00e6srgkpqm2sqf05m'),
  RateLimit: text('How it stands with the rate limit that ends first: r requests are left for t seconds.', '"default";r=588;t=37'),
  'RateLimit-Policy': text('Every rate limit of the request: q requests in w seconds.', '"default";q=600;w=60'),
  'Request-Id': text('Names the request to whoever runs the service.', 'req_01jgwejj00e6srgkpqm2sqf05m'),
  'Retry-After': text('Seconds to wait.', '17'),
  Sunset: text('When this ends (RFC 8594).', 'Tue, 01 Sep 2026 00:00:00 GMT'),
  'WWW-Authenticate': text(
    'What is wrong with the token, and where tokens come from (RFC 6750, RFC 9728).',
    'Bearer error="invalid_token", resource_metadata="https://school.example/.well-known/oauth-protected-resource"',
  ),
} as const

export type AnswerHeader = keyof typeof answerHeaders

/** `{ ETag: { $ref: … } }` */
export const headersNamed = (...names: AnswerHeader[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const header = (name: string, description: string, example: string, required = false) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
  example,
})

/** Headers of requests, by the names that operations refer to. */
export const requestHeaders = {
  IfNoneMatch: header('If-None-Match', 'ETag of what is there already: 304 where it is still right.', '"17-s-9f2c01ab"'),
  IfMatch: header('If-Match', 'ETag of the row that is meant: 412 where it has changed since.', '"17-s-9f2c01ab"'),
  NeededIfMatch: header(
    'If-Match',
    'ETag of the row that is meant: 412 where it has changed since, 428 without it.',
    '"17-s-9f2c01ab"',
    true,
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'Makes it safe to send the same again: for a day, the answer is the same.',
    '"7c1f54be-6d5f-4fd2-9b7c-2f5cf0f3a3f5"',
  ),
} as const

/** A reference to one of them. */
export const requestHeader = (name: keyof typeof requestHeaders): { $ref: string } => ({ $ref: `#/components/parameters/${name}` })
