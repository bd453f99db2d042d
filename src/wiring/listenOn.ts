import { type ListenArguments, type Listener, listen } from '../http/listener.ts'
import { errorCode } from '../lib/errorCode.ts'
import { reasonOf } from '../lib/reason.ts'

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
