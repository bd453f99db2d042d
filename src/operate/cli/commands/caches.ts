import { reasonOf } from '../../../base/log/reason.ts'
import { type CacheKind, cacheTable } from '../../../base/process/cacheTable.ts'
import { command, jsonOption } from '../command.ts'
import { failure } from '../failures.ts'
import type { Session } from '../session.ts'
import type { Listed } from '../table.ts'

const timeoutMs = 10_000
const sample = /^schoolgate_cache_(hits|misses|entries)\w*\{cache="(\w+)"\} (\d+)/gm

export const caches = command({
  name: 'caches',
  summary: 'Show what the caches of the running service hold and how often they are hit. docs/caching.md describes them.',
  examples: ['caches', 'caches --json'],
  options: jsonOption,
  async run(session) {
    const rows = rowsOf(await readMetrics(session))
    session.printList(rows, { columns: ['cache', 'entries', 'bound', 'hit_rate', 'key', 'owner'], empty: 'no caches' })
  },
})

/** The private port reports the processes of a service together. */
async function readMetrics(session: Session): Promise<string> {
  const { HOST, ADMIN_PORT } = session.settings().environment
  const url = `http://${/^(0\.0\.0\.0|::)$/.test(HOST) ? '127.0.0.1' : HOST}:${ADMIN_PORT}/metrics`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (response.status === 200) return await response.text()
    throw new Error(`status ${response.status}`)
  } catch (error) {
    throw failure(`${url} does not respond: ${reasonOf(error)}. Run the command on the machine of a running service, with its ADMIN_PORT.`)
  }
}

function rowsOf(metrics: string): Listed[] {
  const counts = new Map<string, Record<string, number>>()
  for (const [, what = '', cache = '', count] of metrics.matchAll(sample))
    counts.set(cache, { ...counts.get(cache), [what]: Number(count) })
  return Object.entries<CacheKind>(cacheTable).map(([cache, { key, bound, owner, emptiedBy }]) => {
    const { entries = 0, hits = 0, misses = 0 } = counts.get(cache) ?? {}
    return {
      cache,
      entries,
      bound: boundText(bound),
      hit_rate: hits + misses === 0 ? null : `${Math.round((100 * hits) / (hits + misses))} %`,
      hits,
      misses,
      key,
      owner,
      emptied_by: emptiedBy,
    }
  })
}

/** Writes the bound of one process. */
export const boundText = (bound: CacheKind['bound']): string => ('max' in bound ? String(bound.max) : `${bound.maxSize / 1_048_576} MiB`)
