import type { ServerResponse } from 'node:http'
import { rawHeadersOf } from '../../../base/http/rawHeaders.ts'
import type { School } from '../../../base/school.ts'
import type { LaneEndpoint } from './plainRequest.ts'

/** Headers that belong to one response. */
const ofOneResponse = new Set(['connection', 'content-length', 'date', 'keep-alive', 'request-id', 'transfer-encoding'])

export interface LearnedHeaders {
  /** Returns names and values in turn, as Node's `writeHead` takes them; undefined until a response was seen. */
  of(school: School, endpoint: LaneEndpoint): readonly string[] | undefined
  /** Notes the headers of this response of the pipeline when it was sent, if it is a success in JSON. */
  learn(response: ServerResponse, school: School, endpoint: LaneEndpoint): void
}

/** The headers of successful responses to plain requests. A reload of the configuration replaces the schools, and so forgets them. */
export function learnedHeaders(): LearnedHeaders {
  const known = new WeakMap<School, Map<LaneEndpoint, readonly string[]>>()
  return {
    of: (school, endpoint) => known.get(school)?.get(endpoint),
    learn(response, school, endpoint) {
      response.once('finish', () => {
        const type = String(response.getHeader('content-type'))
        if (response.statusCode !== 200 || response.hasHeader('set-cookie') || !type.startsWith('application/json')) return
        const own = known.get(school) ?? new Map<LaneEndpoint, readonly string[]>()
        known.set(school, own.set(endpoint, rawHeadersOf(response, ofOneResponse)))
      })
    },
  }
}
