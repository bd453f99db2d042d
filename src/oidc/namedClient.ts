import { plainAscii } from '../lib/problem.ts'

const longest = 200

/** Returns the client id that a request names, as the log and the audit trail show it: plain ASCII, bounded; undefined if it names none. */
export function namedClient(clientId: unknown): string | undefined {
  return typeof clientId === 'string' && clientId !== '' ? plainAscii(clientId.slice(0, longest)) : undefined
}
