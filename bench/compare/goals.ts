import type { OperationName } from './operations.ts'

/** The CPU of a peer for one request, divided by that of the service: above 1 the service is cheaper. */
interface Goal {
  operation: OperationName
  peer: string
  ratio: number
}

const [engine, betterAuth, twin, bare, glewlwyd, directus] = [
  'engine + ioredis',
  'better-auth',
  'Koa + pg, same JSON',
  'Koa alone',
  'Glewlwyd',
  'Directus',
] as const

/** Servers that do nothing else than the operation: what it costs at least. The service can be below where it answers from memory. */
export const floors: readonly string[] = [engine, twin, bare]

const ofGlewlwyd = ['code exchange', 'refresh', 'UserInfo', 'introspection', 'revocation', 'discovery'] as const

/** The goals for the cost of a request in comparison with the peers. `npm run bench` prints which ones the run has met. */
export const goals: readonly Goal[] = [
  { operation: 'UserInfo', peer: engine, ratio: 1.5 },
  { operation: 'UserInfo', peer: betterAuth, ratio: 10 },
  { operation: 'introspection', peer: engine, ratio: 1.5 },
  { operation: 'introspection', peer: betterAuth, ratio: 10 },
  { operation: 'refresh', peer: engine, ratio: 0.68 },
  { operation: 'refresh', peer: betterAuth, ratio: 4 },
  { operation: 'code exchange', peer: engine, ratio: 0.58 },
  { operation: 'code exchange', peer: betterAuth, ratio: 3 },
  { operation: 'revocation', peer: engine, ratio: 0.45 },
  { operation: 'revocation', peer: betterAuth, ratio: 2 },
  { operation: 'registration', peer: engine, ratio: 0.55 },
  { operation: 'registration', peer: betterAuth, ratio: 3 },
  { operation: 'sign-in, returning browser', peer: engine, ratio: 0.7 },
  { operation: 'sign-in, new browser', peer: engine, ratio: 0.7 },
  { operation: 'sign-in, new browser', peer: betterAuth, ratio: 1.2 },
  ...(['no route (404)', 'malformed token (401)', 'unknown token (401)'] as const).map((operation) => ({
    operation,
    peer: bare,
    ratio: 0.33,
  })),
  { operation: 'list of courses, token', peer: twin, ratio: 0.9 },
  { operation: 'list of courses, token', peer: directus, ratio: 4 },
  ...ofGlewlwyd.map((operation) => ({ operation, peer: glewlwyd, ratio: 1 })),
]
