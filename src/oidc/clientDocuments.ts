import { LRUCache } from 'lru-cache'
import type { Limiter, Policy } from '../http/rateLimit.ts'
import { requireWithin } from '../http/rateLimit.ts'
import type { Log } from '../lib/log.ts'
import { OutboundError, type OutboundResponse, type SendOutbound } from '../lib/outboundRequest.ts'
import { Problem } from '../lib/problem.ts'
import { documentCacheSeconds } from './documentCacheSeconds.ts'

/** Limits of the requests for documents in a minute. */
export interface DocumentLimits {
  perMinute: number
  perHostPerMinute: number
}

export interface ClientDocumentsArguments {
  send: SendOutbound
  limiter: Limiter
  limits(): DocumentLimits
  log: Log
}

/** Loads client ID metadata documents. All schools share its cache. */
export interface ClientDocuments {
  /**
   * Returns the text of the document at an accepted URL, from the cache or from its host.
   * @throws Problem invalid_client, rate_limited, temporarily_unavailable
   */
  load(url: string): Promise<string>
}

interface Kept {
  text: string
  etag: string | undefined
  freshUntil: number
}

/** The names of the limits. */
export const documentPolicies = ['client_documents_of_host', 'client_documents'] as const

/** A document has at most this size (draft-ietf-oauth-client-id-metadata-document section 6.6). */
const maxBytes = 5 * 1024
const timeoutMs = 5000
const mostKept = 500
const mostConcurrent = 8
/** Time for which a host that did not respond is not asked again. */
const pauseMs = 10_000

/** Creates the loader. Responses with errors and invalid documents are not cached; the limits bound their repetition. */
export function createClientDocuments({ send, limiter, limits, log }: ClientDocumentsArguments): ClientDocuments {
  const kept = new LRUCache<string, Kept>({ max: mostKept })
  const unreachable = new LRUCache<string, true>({ max: mostKept, ttl: pauseMs })
  const running = new Map<string, Promise<string>>()

  const requireBudget = async (host: string): Promise<void> => {
    const { perMinute, perHostPerMinute } = limits()
    const policy = (name: (typeof documentPolicies)[number], requests: number): Policy => ({ name, requests, windowSeconds: 60 })
    const ofHost = policy('client_documents_of_host', perHostPerMinute)
    requireWithin(ofHost, await limiter(ofHost, host))
    const ofAll = policy('client_documents', perMinute)
    requireWithin(ofAll, await limiter(ofAll, 'all'))
  }

  const request = async (url: string, known: Kept | undefined): Promise<string> => {
    const target = new URL(url)
    if (unreachable.has(target.host)) throw notLoaded(url)
    await requireBudget(target.host)
    const headers = { Accept: 'application/json', ...(known?.etag !== undefined && { 'If-None-Match': known.etag }) }
    const response = await send({ url: target, method: 'GET', headers, maxBytes, timeoutMs }).catch((error: unknown) => {
      log.warn(
        { client_id: url, reason: error instanceof OutboundError ? error.message : String(error) },
        'client metadata document not loaded',
      )
      if (!(error instanceof OutboundError)) throw error
      if (error.failure === 'failed') unreachable.set(target.host, true)
      throw notLoaded(url)
    })
    const text = textOf(url, response, known)
    const freshUntil = performance.now() + documentCacheSeconds(response.headers) * 1000
    kept.set(url, { text, etag: response.headers.etag ?? known?.etag, freshUntil })
    return text
  }

  return {
    async load(url) {
      const known = kept.get(url)
      if (known && performance.now() < known.freshUntil) return known.text
      const current = running.get(url)
      if (current !== undefined) return await current
      if (running.size >= mostConcurrent) throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '2' } })
      const started = request(url, known).finally(() => running.delete(url))
      running.set(url, started)
      return started
    },
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
