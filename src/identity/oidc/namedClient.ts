import { plainAscii } from '../../base/problem.ts'

const longest = 200

/**
 * Returns the client id that a request names, as the log and the audit trail show it: plain ASCII, bounded; undefined if it names none.
 * It is a copy: a part of a string keeps the whole string in memory, here the form with its codes and secrets.
 */
export function namedClient(clientId: unknown): string | undefined {
  if (typeof clientId !== 'string' || clientId === '') return undefined
  return Buffer.from(plainAscii(clientId.slice(0, longest)), 'latin1').toString('latin1')
}
