import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Context, Middleware } from 'koa'
import { readBody } from './readBody.ts'
import type { RequestState } from './requestState.ts'

/** Header that asks for a probe: `<kind> <milliseconds of the epoch> <signature>`. */
export const probeHeader = 'x-schoolgate-probe'

/**
 * `facts`: what arrived. `stream`: a slow event stream. `redirect`: a redirect to a client's loopback address. `temporary`: the usual
 * response; a client that the request registers is temporary, and receivers of webhooks get no events about it.
 */
export type ProbeKind = 'facts' | 'stream' | 'redirect' | 'temporary'

export interface ProbeFacts {
  method: string
  host: string
  forwarded_for: string | null
  forwarded_proto: string | null
  address: string
  /** The port from which the connection came: with a gateway, the port of the gateway. */
  peer_port: number
  authorization: boolean
  received_bytes: number
  time: string
}

/** The address of the redirect. No server has to listen on its port. */
export const probeRedirect = 'http://127.0.0.1:53682/callback?code=probe&state=a%2Fb'

export const probeStream = { events: 4, pauseMs: 300 } as const

const validMs = 300_000
const maxBytes = 16 * 1_048_576

/** Returns the header of a probe. Only those who know the root secret can make one. */
export const signProbe = (sign: (text: string) => string, kind: ProbeKind, at = Date.now()): string =>
  `${kind} ${at} ${sign(`${kind} ${at}`)}`

/**
 * Answers the probes of `schoolgate doctor` with what arrived, so that it can compare that with what it sent. Comes before the headers of
 * the gateway are replaced. A request without a valid signature is treated as if it did not have the header.
 */
export function answerProbes(verify: (text: string, signature: string) => boolean): Middleware<RequestState> {
  const answerProbe: Middleware<RequestState> = async (ctx, next) => {
    const kind = probeKind(ctx.get(probeHeader), verify)
    if (kind === 'temporary') ctx.state.isTemporary = true
    if (kind === undefined || kind === 'temporary') return await next()
    ctx.set('Cache-Control', 'no-store')
    if (kind === 'redirect') {
      ctx.status = 302
      ctx.set('Location', probeRedirect)
      return undefined
    }
    if (kind === 'stream') return stream(ctx)
    ctx.body = await factsOf(ctx)
    return undefined
  }
  return (ctx, next) => (ctx.req.headers[probeHeader] === undefined ? next() : answerProbe(ctx, next))
}

const kinds: readonly ProbeKind[] = ['facts', 'stream', 'redirect', 'temporary']

function probeKind(header: string, verify: (text: string, signature: string) => boolean): ProbeKind | undefined {
  const [, kind, at, signature] = /^(facts|stream|redirect|temporary) (\d{1,15}) ([\w-]{43})$/.exec(header) ?? []
  if (kind === undefined || at === undefined || signature === undefined) return undefined
  if (Math.abs(Date.now() - Number(at)) > validMs || !verify(`${kind} ${at}`, signature)) return undefined
  return kinds.find((known) => known === kind)
}

async function factsOf(ctx: Context & { state: RequestState }): Promise<ProbeFacts> {
  const { headers, socket } = ctx.req
  const body = await readBody(ctx, maxBytes)
  return {
    method: ctx.method,
    host: headers.host ?? '',
    forwarded_for: textOf(headers['x-forwarded-for']),
    forwarded_proto: textOf(headers['x-forwarded-proto']),
    address: ctx.state.address,
    peer_port: socket.remotePort ?? 0,
    authorization: headers.authorization !== undefined,
    received_bytes: body.length,
    time: new Date().toISOString(),
  }
}

const textOf = (header: string | string[] | undefined): string | null => (header === undefined ? null : [header].flat().join(', '))

function stream(ctx: Context): void {
  const events = new PassThrough()
  ctx.type = 'text/event-stream'
  ctx.body = events
  void send(events)
}

async function send(events: PassThrough): Promise<void> {
  for (let count = 1; count <= probeStream.events; count += 1) {
    if (events.destroyed) return
    events.write(`data: ${count}\n\n`)
    await delay(probeStream.pauseMs)
  }
  events.end()
}
