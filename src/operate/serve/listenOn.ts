import { type ListenArguments, type Listener, listen } from '../../base/http/listener.ts'
import { errorCode } from '../../base/log/errorCode.ts'
import type { Log } from '../../base/log/log.ts'
import { reasonOf } from '../../base/log/reason.ts'
import { openFileLimit } from '../../base/process/openFileLimit.ts'

/**
 * Listens on a port.
 * @throws Error that names the variable with the wrong value
 */
export async function listenOn(variable: 'PORT' | 'ADMIN_PORT', given: ListenArguments): Promise<Listener> {
  try {
    return await listen(given)
  } catch (error) {
    throw new Error(explain(variable, given, error), { cause: error })
  }
}

function explain(variable: string, { host, port }: ListenArguments, error: unknown): string {
  const code = errorCode(error)
  if (code === 'EADDRINUSE')
    return `${variable}: port ${port} is in use on ${host}. Stop the process that listens there, or set ${variable}`
  if (code === 'EACCES') return `${variable}: this process may not listen on port ${port}. Set ${variable} to a port above 1023`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `HOST: ${host} is not an address of this machine. Set HOST to one of its addresses, or to 0.0.0.0 for all`
  return `${variable}: ${reasonOf(error)}`
}

/** Files and connections to stores that a process opens in addition to the connections of its callers. */
const reservedFiles = 200
const reportEveryMs = 60_000

/**
 * Limits the connections of callers, so that a flood of them leaves descriptors for the stores. Without a descriptor every request fails, also
 * on connections that are open.
 */
export async function limitConnections(log: Pick<Log, 'warn'>): Promise<Pick<ListenArguments, 'maxConnections' | 'onFull'>> {
  const limit = await openFileLimit()
  if (limit === undefined) return {}
  const maxConnections = Math.max(limit - reservedFiles, Math.floor(limit / 2))
  let reportedAt = Number.NEGATIVE_INFINITY
  return {
    maxConnections,
    onFull() {
      if (performance.now() - reportedAt < reportEveryMs) return
      reportedAt = performance.now()
      log.warn({ most_connections: maxConnections, open_files: limit }, 'connections refused, limit of open files')
    },
  }
}
