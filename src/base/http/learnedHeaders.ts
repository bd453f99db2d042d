import type { ServerResponse } from 'node:http'
import type { School } from '../school.ts'
import { rawHeadersOf } from './rawHeaders.ts'

/** Headers that belong to one response. */
const ofOneResponse = new Set([
  ...['connection', 'content-length', 'date', 'keep-alive', 'ratelimit', 'ratelimit-policy', 'request-id', 'transfer-encoding'],
])

export interface LearnedHeaders<Kind> {
  /** Returns names and values in turn, as Node's `writeHead` takes them; undefined until a response was seen. */
  of(school: School, kind: Kind): readonly string[] | undefined
  /** Notes the headers of this response of the pipeline when it was sent, if it is JSON with the expected status. */
  learn(response: ServerResponse, school: School, kind: Kind): void
}

/** The headers that the pipeline sends with a status, by kind of request. A reload of the configuration replaces the schools, and so forgets them. */
export function learnedHeaders<Kind>(status: number): LearnedHeaders<Kind> {
  const known = new WeakMap<School, Map<Kind, readonly string[]>>()
  return {
    of: (school, kind) => known.get(school)?.get(kind),
    learn(response, school, kind) {
      response.once('finish', () => {
        const type = String(response.getHeader('content-type'))
        if (response.statusCode !== status || response.hasHeader('set-cookie') || !type.startsWith('application/json')) return
        const own = known.get(school) ?? new Map<Kind, readonly string[]>()
        known.set(school, own.set(kind, rawHeadersOf(response, ofOneResponse)))
      })
    },
  }
}
