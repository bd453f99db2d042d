import { setTimeout as delay } from 'node:timers/promises'
import type { FuzzReply } from '../fuzz/wire.ts'
import type { Monitor } from './monitor.ts'

export interface Sending {
  /** The operation, such as `createCourse`, `POST /api/oauth/token` or `page`. */
  target: string
  method?: string
  /** A path of the school, or a complete address; a function if it may differ in the next attempt. */
  path: string | (() => string)
  headers?: Record<string, string>
  json?: unknown
  form?: Record<string, string>
  bytes?: Uint8Array
  /** The statuses that the caller can handle. Another one is a problem. */
  expected: readonly number[]
}

export interface Sent extends FuzzReply {
  // biome-ignore lint/suspicious/noExplicitAny: the model reads what it knows to be there
  json: any
  bytes: Buffer
}

/** Thrown for a request that got no answer of the service: it can be repeated. */
export class NotServed extends Error {}

/** Thrown for an answer that the caller did not expect. It has been reported. */
export class Unexpected extends Error {}

export interface Sender {
  /** Sends a request and judges its response. @throws NotServed, Unexpected */
  send(sending: Sending): Promise<Sent>
  /** The same, and repeats it until it is answered. `tries`: how many requests were not. */
  insist(sending: Sending): Promise<Sent & { tries: number }>
}

/** Milliseconds without a response after which a request hangs. The service promises five seconds; the rest is for a loaded machine. */
const hangMs = 25_000
/** How long a request is repeated. Failures and recovery take less. */
const timeoutMs = 120_000

export function createSender(issuer: string, monitor: Monitor): Sender {
  async function send({ target, method, path: given, headers = {}, json, form, bytes, expected }: Sending): Promise<Sent> {
    const path = typeof given === 'string' ? given : given()
    const body = bytes ?? (form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json))
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    const request = {
      target,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      path,
      headers: { accept: 'application/json', ...(body !== undefined && !bytes && { 'content-type': type }), ...headers },
      role: 'soak',
      mutations: [],
    }
    const start = performance.now()
    let sent: Sent
    try {
      const response = await fetch(path.startsWith('http') ? path : issuer + path, {
        method: request.method,
        headers: request.headers,
        redirect: 'manual',
        signal: AbortSignal.timeout(hangMs),
        ...(body !== undefined && { body: body as string }),
      })
      const content = Buffer.from(await response.arrayBuffer())
      const text = content.toString()
      const cookies = response.headers.getSetCookie()
      const received = { ...Object.fromEntries(response.headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) }
      sent = {
        status: response.status,
        headers: received,
        text,
        milliseconds: performance.now() - start,
        json: parsed(text),
        bytes: content,
      }
    } catch (error) {
      const { message, cause } = error as Error
      const reason = `${message} ${(cause as Error | undefined)?.message ?? ''}`
      if ((error as Error).name === 'TimeoutError') monitor.report(`${target}: no response within ${hangMs / 1000} s`)
      monitor.observe(request, undefined, start)
      throw new NotServed(reason)
    }
    monitor.observe(request, sent, start)
    if (sent.status >= 500 || sent.status === 429) throw new NotServed(`status ${sent.status}`)
    if (!expected.includes(sent.status)) {
      const detail = `${request.method} ${path}: ${sent.text.slice(0, 300)}`
      monitor.report(`${target}: ${sent.status} instead of ${expected.join(' or ')}`, detail)
      throw new Unexpected(`${target}: ${sent.status}`)
    }
    return sent
  }
  return {
    send,
    async insist(sending) {
      const end = performance.now() + timeoutMs
      for (let tries = 0; ; tries += 1) {
        try {
          return { ...(await send(sending)), tries }
        } catch (error) {
          if (!(error instanceof NotServed)) throw error
          if (performance.now() > end) {
            monitor.report(`${sending.target}: not answered for ${timeoutMs / 1000} s`, error.message)
            throw new Unexpected(error.message)
          }
          await delay(300)
        }
      }
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
