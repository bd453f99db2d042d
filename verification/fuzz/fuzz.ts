import { createRandom, type SeededRandom } from '../seededRandom.ts'
import { apiRequest, type Draft } from './apiRequests.ts'
import { createCallers } from './callers.ts'
import { createJudge } from './judge.ts'
import { mcpRequest, type Tool } from './mcpRequests.ts'
import { createMemory } from './memory.ts'
import { mutated } from './mutations.ts'
import { endpointsOf, oauthRequest } from './oauthRequests.ts'
import { type OpenApi, type Target, targetsOf } from './openApiTargets.ts'
import type { WatchedService } from './service.ts'
import { createValueMaker } from './values.ts'
import { asCurl, createWire, type FuzzReply, type FuzzRequest, NoReply } from './wire.ts'

export interface FuzzOptions {
  requests: number
  seed: number
  concurrency: number
  /** Only operations whose name contains this. */
  only?: string | undefined
  onProgress(sent: number, problems: number): void
}

export interface Problem {
  /** The operation, and what is wrong with its response. */
  title: string
  count: number
  /** The first request with this problem, as a command. */
  example: string
  response: string
}

export interface FuzzReport {
  sent: number
  /** Responses by kind of interface and class of status: `API 2xx`. */
  counts: ReadonlyMap<string, number>
  operations: number
  /** Operations of the API that succeeded at least once. */
  succeeded: ReadonlySet<string>
  problems: readonly Problem[]
  slowestMs: number
  longestBlockMs: number
  /** Growth of the memory after a collection, in megabytes, between the first quarter and the end. */
  grownMegabytes: number
  seconds: number
}

/** Longest time for which one request may block the event loop, in milliseconds. */
export const blockLimitMs = 200
/** Megabytes by which the memory after a collection may grow between the first quarter of a run and its end. */
export const growthLimitMegabytes = 64

/** Sends requests to the service and judges every response. */
export async function fuzz(service: WatchedService, options: FuzzOptions): Promise<FuzzReport> {
  const start = performance.now()
  const random = createRandom(String(options.seed))
  const memory = createMemory()
  const wire = createWire(service.origin)
  const read = async (path: string): Promise<unknown> => (await fetch(service.origin + path)).json()
  const document = (await read('/openapi.json')) as OpenApi
  const metadata = (await read('/.well-known/oauth-authorization-server')) as Record<string, unknown>
  const tools = await listTools(service.origin)
  const callers = await createCallers(service.origin)
  const validValue = createValueMaker(document, memory, random, options.seed)
  const sources = {
    memory,
    random,
    validValue,
    tools,
    agent: callers.agent,
    metadata,
    endpoints: endpointsOf(metadata),
    tokens: [] as string[],
  }
  const isChosen = (name: string): boolean => options.only === undefined || name.toLowerCase().includes(options.only.toLowerCase())
  const targets = targetsOf(document).filter(({ id }) => isChosen(id))
  const judge = createJudge(document, tools)
  const problems = new Map<string, Problem>()
  const counts = new Map<string, number>()
  const succeeded = new Set<string>()
  /** Requests to objects that an earlier response created. */
  const followUps: FuzzRequest[] = []
  let [sent, slowestMs, longestBlockMs] = [0, 0, 0]
  let batch: FuzzRequest[] = []

  function report(fuzzRequest: FuzzRequest, what: string, reply?: FuzzReply): void {
    const title = `${fuzzRequest.target}: ${what}`
    const known = problems.get(title)
    if (known) known.count += 1
    else
      problems.set(title, {
        title,
        count: 1,
        example: asCurl(service.origin, fuzzRequest),
        response: reply ? `${reply.status} ${reply.text.slice(0, 600)}` : '',
      })
  }

  function next(): FuzzRequest {
    const waiting = followUps.pop()
    if (waiting) return waiting
    const share = random.below(100)
    const draft =
      targets.length > 0 && (share < 78 || options.only !== undefined)
        ? apiRequest(random.pick(targets), sources)
        : share < 90
          ? oauthRequest({ ...sources, tokens: callers.tokens() })
          : mcpRequest(sources)
    const role = draft.target.includes(' ') ? 'nobody' : callers.pick(random)
    const whole = { ...draft, role }
    return random.chance(0.55) ? mutated(whole, 1 + random.below(2), random) : whole
  }

  async function sendOne(fuzzRequest: FuzzRequest): Promise<void> {
    const token = callers.token(fuzzRequest.role)
    const complete =
      token && fuzzRequest.headers.authorization === undefined
        ? { ...fuzzRequest, headers: { ...fuzzRequest.headers, authorization: `Bearer ${token}` } }
        : fuzzRequest
    batch.push(complete)
    try {
      const reply = await wire.send(complete)
      slowestMs = Math.max(slowestMs, reply.milliseconds)
      count(counts, `${kindOf(complete)} ${Math.floor(reply.status / 100)}xx`)
      if (reply.status < 300) succeeded.add(complete.target)
      for (const what of judge(complete, reply)) report(complete, what, reply)
      if (
        reply.status === 401 &&
        token &&
        complete.headers.authorization === `Bearer ${token}` &&
        token === callers.token(fuzzRequest.role)
      ) {
        await callers.renew(fuzzRequest.role)
      }
      const tag = reply.headers.etag
      memory.learn(reply.text, typeof tag === 'string' ? tag : undefined)
      if (reply.status === 201 && !complete.target.includes(' '))
        followUps.push(...follow(targets, sources, reply.text, fuzzRequest.role, random))
    } catch (error) {
      if (!(error instanceof NoReply)) throw error
      report(complete, error.message)
    }
  }

  /** Asks how long the event loop was blocked, and sends the requests of a suspicious batch again, one at a time. */
  async function checkBlocks(): Promise<void> {
    const suspects = batch
    batch = []
    const longest = await service.longestBlock()
    if (longest <= blockLimitMs) {
      longestBlockMs = Math.max(longestBlockMs, longest)
      return
    }
    for (const suspect of suspects) {
      const times: number[] = []
      while (times.length < 3 && times.every((time) => time > blockLimitMs)) {
        await wire.send(suspect).catch(() => undefined)
        times.push(await service.longestBlock())
      }
      const least = Math.min(...times)
      longestBlockMs = Math.max(longestBlockMs, least)
      if (least > blockLimitMs) report(suspect, `blocks the event loop for ${Math.round(least)} ms`)
    }
  }

  let firstMegabytes: number | undefined
  while (sent < options.requests && service.isAlive()) {
    const size = Math.min(100, options.requests - sent)
    const waiting = Array.from({ length: size })
    const work = async (): Promise<void> => {
      while (waiting.pop() !== undefined || waiting.length > 0) await sendOne(next())
    }
    await Promise.all(Array.from({ length: options.concurrency }, work))
    sent += size
    await checkBlocks()
    for (const line of service.failures())
      report({ target: 'log', method: '-', path: '', headers: {}, role: '-', mutations: [] }, line.slice(0, 400))
    if (firstMegabytes === undefined && sent >= options.requests / 4) firstMegabytes = await service.memory()
    options.onProgress(sent, problems.size)
  }
  const grownMegabytes = service.isAlive() ? (await service.memory()) - (firstMegabytes ?? 0) : 0
  const service_ = { target: 'the service', method: '-', path: '', headers: {}, role: '-', mutations: [] }
  if (!service.isAlive()) report(service_, 'the process ended')
  if (grownMegabytes > growthLimitMegabytes) report(service_, `its memory grew by ${Math.round(grownMegabytes)} MB`)
  wire.close()
  return {
    sent,
    counts,
    operations: targets.length,
    succeeded,
    problems: [...problems.values()],
    slowestMs,
    longestBlockMs,
    grownMegabytes,
    seconds: (performance.now() - start) / 1000,
  }
}

/** Returns calls of operations on the object that was created. */
function follow(
  targets: readonly Target[],
  sources: Parameters<typeof apiRequest>[1],
  text: string,
  role: string,
  random: SeededRandom,
): FuzzRequest[] {
  const id = /^\{"id":"(([a-z]{2,5})_\w{26})"/.exec(text)
  const [, own, prefix] = id ?? []
  if (own === undefined) return []
  const names = targets.filter(({ parameters }) => parameters.some((one) => one.in === 'path' && one.description.includes(`(${prefix}_`)))
  return random
    .shuffled(names)
    .slice(0, 3)
    .map((target): FuzzRequest => ({ ...(apiRequest(target, sources, own) satisfies Draft), role }))
}

async function listTools(origin: string): Promise<Tool[]> {
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })
  return ((await response.json()) as { result: { tools: Tool[] } }).result.tools
}

const kindOf = ({ target }: FuzzRequest): string => (target.startsWith('MCP') ? 'MCP' : target.includes(' ') ? 'OAuth' : 'API')

const count = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1)
