import type { IncomingMessage } from 'node:http'
import { Problem } from '../problem.ts'
import type { Step } from './inOrder.ts'
import { hasTooManyParameters, tooManyParameters } from './query.ts'

const longestTarget = 8192

/**
 * The maximum length of each header that is split, negotiated or compared, repeated ones together. Browsers and gateways send a tenth of it.
 * `traceparent` and `Idempotency-Key` have separate limits. Node refuses more than 16 KiB of all headers.
 */
export const headerLimits = {
  accept: 1000,
  'accept-charset': 1000,
  'accept-encoding': 1000,
  'accept-language': 1000,
  'access-control-request-headers': 2000,
  'access-control-request-method': 100,
  authorization: 8192,
  'cache-control': 1000,
  'content-disposition': 1000,
  'content-encoding': 200,
  'content-type': 1000,
  cookie: 8192,
  forwarded: 2000,
  host: 300,
  'if-match': 4000,
  'if-modified-since': 100,
  'if-none-match': 4000,
  'if-range': 1000,
  'if-unmodified-since': 100,
  origin: 2000,
  range: 1000,
  'x-forwarded-for': 2000,
  'x-forwarded-host': 2000,
  'x-forwarded-proto': 200,
} as const

const limitedHeaders = Object.entries(headerLimits)

/** Returns the first limit that the request target or a header exceeds. Parses nothing. */
export function requestExcess({ url = '', headers }: IncomingMessage): Problem | undefined {
  if (url.length > longestTarget) return new Problem('uri_too_long')
  const query = url.indexOf('?')
  if (query !== -1 && hasTooManyParameters(url.slice(query + 1))) return tooManyParameters()
  for (const [name, limit] of limitedHeaders) {
    const length = headers[name]?.length ?? 0
    if (length > limit)
      return new Problem('header_too_long', {
        description: `The header ${name} must have at most ${limit} characters, has ${length}. Send fewer or shorter values.`,
      })
  }
  return undefined
}

/** Rejects requests whose target or headers are too long or have too many parts, before anything parses them. */
export const limitRequest: Step = ({ req }) => {
  const excess = requestExcess(req)
  if (excess) throw excess
}
