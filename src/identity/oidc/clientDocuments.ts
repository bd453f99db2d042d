import type { IncomingHttpHeaders } from 'node:http'
import { type Limiter, limitExceeded, type Policy } from '../../base/http/rateLimit.ts'
import type { Log } from '../../base/log/log.ts'
import { OutboundError, type OutboundResponse, type SendOutbound } from '../../base/net/outboundRequest.ts'
import { Problem } from '../../base/problem.ts'
import { type Caches, createCaches } from '../../base/process/caches.ts'

const [shortest, usual, longest] = [60, 300, 86_400] as const

/**
 * Returns how long a client ID metadata document may be used without asking its host again, by `Cache-Control` and `Age` (RFC 9111), within
 * limits that keep both a change and a flood of requests bounded.
 */
export function documentCacheSeconds(headers: IncomingHttpHeaders): number {
  const control = headers['cache-control']?.toLowerCase() ?? ''
  if (/(^|[\s,])(no-store|no-cache)($|[\s,=])/.test(control)) return shortest
  const maxAge = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})/.exec(control)?.[1]
  if (maxAge === undefined) return usual
  const age = /^\d{1,10}$/.test(headers.age ?? '') ? Number(headers.age) : 0
  return Math.min(longest, Math.max(shortest, Number(maxAge) - age))
}

export interface DocumentLimits {
  perMinute: number
  perHostPerMinute: number
}

export interface ClientDocumentsArguments {
  caches?: Caches
  send: SendOutbound
  limiter: Limiter
  limits(): DocumentLimits
  log: Log
}

/** Loads client ID metadata documents. All schools share its cache. */
export interface ClientDocuments {
  /**
   * Returns the text of the document at an accepted URL, from the cache or from its host. While the host cannot be asked or does not
   * respond, a document that was loaded within the last day is used (RFC 9111 section 4.2.4). `isKnown`: the school has stored a client of
   * this URL. Known clients have a separate budget, which requests with invented URLs cannot use up.
   * @throws Problem invalid_client, rate_limited, temporarily_unavailable
   */
  load(url: string, client: { isKnown: boolean }): Promise<string>
}

interface Kept {
  text: string
  etag: string | undefined
  freshUntil: number
  usableUntil: number
}

export const documentPolicies = [
  'client_documents_of_host',
  'client_documents',
  'known_client_documents_of_host',
  'known_client_documents',
] as const

/** A document has at most this size (draft-ietf-oauth-client-id-metadata-document section 6.6). */
const maxBytes = 5 * 1024
const timeoutMs = 5000
const maxConcurrent = 8
/** Concurrent requests for documents of unknown clients. The other slots are reserved for known ones. */
const maxConcurrentUnknown = 6
const daySeconds = 86_400
/** Time for which a host that did not respond is not asked again. */
const pauseMs = 10_000

/** Creates the loader. Responses with errors and invalid documents are not cached; the limits bound their repetition. */
export function createClientDocuments({ caches = createCaches(), send, limiter, limits, log }: ClientDocumentsArguments): ClientDocuments {
  const kept = caches.create<Kept>('client_documents')
  const unreachable = caches.create<{ until: number }>('unreachable_document_hosts')
  const running = new Map<string, Promise<string>>()

  const requireBudget = async (host: string, isKnown: boolean): Promise<void> => {
    const { perMinute, perHostPerMinute } = limits()
    const prefix = isKnown ? 'known_' : ''
    const count = async (name: 'client_documents_of_host' | 'client_documents', requests: number, key: string): Promise<void> => {
      const policy: Policy = { name: `${prefix}${name}`, requests, windowSeconds: 60 }
      const verdict = await limiter(policy, key)
      if (!verdict.allowed) throw new NotLoaded(limitExceeded(policy, verdict))
    }
    await count('client_documents_of_host', perHostPerMinute, host)
    await count('client_documents', perMinute, 'all')
  }

  /** @throws NotLoaded if the document could not be had, Problem if it is invalid */
  const request = async (url: string, known: Kept | undefined, isKnown: boolean): Promise<string> => {
    const target = new URL(url)
    if (performance.now() < (unreachable.get(target.host)?.until ?? 0)) throw new NotLoaded(notLoaded(url))
    if (running.size >= (isKnown ? maxConcurrent : maxConcurrentUnknown))
      throw new NotLoaded(new Problem('temporarily_unavailable', { headers: { 'Retry-After': '2' } }))
    await requireBudget(target.host, isKnown)
    const headers = { Accept: 'application/json', ...(known?.etag !== undefined && { 'If-None-Match': known.etag }) }
    const response = await send({ url: target, method: 'GET', headers, maxBytes, timeoutMs }).catch((error: unknown) => {
      log.warn(
        { client_id: url, reason: error instanceof OutboundError ? error.message : String(error) },
        'client metadata document not loaded',
      )
      if (!(error instanceof OutboundError)) throw error
      if (error.failure === 'failed') unreachable.set(target.host, { until: performance.now() + pauseMs })
      throw error.failure === 'invalid' ? notLoaded(url) : new NotLoaded(notLoaded(url))
    })
    const text = textOf(url, response, known)
    const now = performance.now()
    const freshUntil = now + documentCacheSeconds(response.headers) * 1000
    kept.set(url, { text, etag: response.headers.etag ?? known?.etag, freshUntil, usableUntil: now + daySeconds * 1000 })
    return text
  }

  const requestOrStale = async (url: string, known: Kept | undefined, isKnown: boolean): Promise<string> => {
    try {
      return await request(url, known, isKnown)
    } catch (error) {
      if (!(error instanceof NotLoaded)) throw error
      if (known && performance.now() < known.usableUntil) return known.text
      throw error.problem
    }
  }

  return {
    async load(url, { isKnown }) {
      const known = kept.get(url)
      if (known && performance.now() < known.freshUntil) return known.text
      // A known client is not rejected with a request that counts as unknown, at another school.
      const key = `${isKnown} ${url}`
      const current = running.get(key)
      if (current !== undefined) return await current
      const started = requestOrStale(url, known, isKnown).finally(() => running.delete(key))
      running.set(key, started)
      return started
    },
  }
}

/** The document could not be had now. The document that was loaded before may still be valid. */
class NotLoaded extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** The text is the same for every cause, so that it does not reveal anything about the network. */
const notLoaded = (url: string): Problem =>
  new Problem('invalid_client', {
    description: `The document at ${url} could not be loaded. It must be public, and respond within a few seconds.`,
  })

function textOf(url: string, { status, headers, body }: OutboundResponse, known: Kept | undefined): string {
  if (status === 304 && known) return known.text
  const refuse = (problem: string): Problem => new Problem('invalid_client', { description: `The document at ${url} ${problem}` })
  if (status === 429 || status >= 500) throw new NotLoaded(refuse(`could not be loaded: its host responded with ${status}`))
  // A redirect could lead to a host that was not checked.
  if (status !== 200) throw refuse(`must respond with status 200, without a redirect. It responded with ${status}`)
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type !== 'application/json' && !/^application\/[a-z0-9.-]+\+json$/.test(type))
    throw refuse('must have the content type application/json')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (error) {
    throw Object.assign(refuse('must be UTF-8'), { cause: error })
  }
}
