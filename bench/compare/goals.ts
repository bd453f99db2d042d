import type { OperationName } from './operations.ts'
import type { Measured } from './table.ts'

/** The CPU of a peer for one request, divided by that of the service: above 1 the service is cheaper. */
interface Goal {
  operation: OperationName
  peer: string
  ratio: number
}

const [engine, betterAuth] = ['engine + ioredis', 'better-auth']

/** The goals for the cost of a request in comparison with the peers. `npm run bench` prints which ones the run has met. */
const goals: readonly Goal[] = [
  { operation: 'UserInfo', peer: engine, ratio: 1.5 },
  { operation: 'UserInfo', peer: betterAuth, ratio: 10 },
  { operation: 'introspection', peer: engine, ratio: 1.5 },
  { operation: 'introspection', peer: betterAuth, ratio: 10 },
  { operation: 'refresh', peer: engine, ratio: 0.65 },
  { operation: 'refresh', peer: betterAuth, ratio: 4 },
  { operation: 'code exchange', peer: engine, ratio: 0.6 },
  { operation: 'code exchange', peer: betterAuth, ratio: 3 },
  { operation: 'revocation', peer: engine, ratio: 0.5 },
  { operation: 'revocation', peer: betterAuth, ratio: 2.5 },
  { operation: 'registration', peer: engine, ratio: 0.6 },
  { operation: 'registration', peer: betterAuth, ratio: 3 },
  { operation: 'sign-in, returning browser', peer: engine, ratio: 0.75 },
  { operation: 'sign-in, new browser', peer: engine, ratio: 0.65 },
  { operation: 'sign-in, new browser', peer: betterAuth, ratio: 1.2 },
  ...(['no route (404)', 'malformed token (401)', 'unknown token (401)'] as const).map((operation) => ({
    operation,
    peer: 'Koa alone',
    ratio: 0.33,
  })),
  { operation: 'list of courses, token', peer: 'Koa + pg, same JSON', ratio: 0.9 },
]

/** Prints the goals of the measured operations as a Markdown table. */
export function printGoals(measured: readonly Measured[], service: string): string {
  const cpuOf = (name: OperationName, server: string): number | undefined =>
    measured.find(({ operation, target }) => operation === name && target === server)?.cpu
  const lines = goals.flatMap(({ operation, peer, ratio }) => {
    const [own, other] = [cpuOf(operation, service), cpuOf(operation, peer)]
    if (own === undefined || other === undefined) return []
    const reached = other / own
    return [[operation, peer, String(ratio), reached.toFixed(2), reached >= ratio ? 'met' : 'missed']]
  })
  const header = ['operation', 'peer', 'goal', 'reached', '']
  const align = ['---', '---', '---:', '---:', '---']
  return [header, align, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
