import { headerLimits } from '../../src/base/http/requestLimits.ts'
import type { SeededRandom } from '../seededRandom.ts'
import { bodyMutations, safely } from './bodyMutations.ts'
import { nastyTexts } from './nasty.ts'
import type { FuzzRequest } from './wire.ts'

/** Changes a request so that it may be invalid. Returns undefined if it does not apply to the request. */
export type Mutation = (request: FuzzRequest, random: SeededRandom) => Partial<FuzzRequest> | undefined

const queryMutations: Readonly<Record<string, Mutation>> = {
  'a changed value in the query': ({ path }, random) => {
    const [before, query] = path.split('?')
    const pairs = query?.split('&') ?? []
    if (pairs.length === 0) return undefined
    const at = random.below(pairs.length)
    pairs[at] = `${pairs[at]?.split('=')[0]}=${encode(random.pick(nastyTexts)).slice(0, 3000)}`
    return { path: `${before}?${pairs.join('&')}` }
  },
  'a repeated parameter': ({ path }) => {
    const [, first] = /\?([^&]+)/.exec(path) ?? []
    return first ? { path: `${path}&${first}` } : undefined
  },
  'an unknown parameter': ({ path }, random) =>
    added(
      path,
      random.pick([
        'colour=red',
        '__proto__=1',
        'a[b][c]=1',
        'status[in]=x',
        'created_at[gt]=',
        'sort=',
        'limit=0',
        'limit=1e3',
        'cursor=x',
        'fields=a.b.c',
        'expand=everything',
        'q=%27',
        '=',
        '&&',
        'access_token=x',
      ]),
    ),
  'many parameters': ({ path }, random) => {
    const name = random.pick(parameterNames)
    return added(
      path,
      Array.from({ length: random.pick([50, 99, 101, 700, 4000]) }, (_, at) => name(at))
        .join('&')
        .slice(0, 7000),
    )
  },
  'a long query': ({ path }, random) =>
    added(path, random.pick(['a', 'q=%25', 'a[b]', 'fields=a,', 'cursor=']).padEnd(7000, random.pick(['a', '[b]', ',', '%25', '=']))),
  'broken percent encoding': ({ path }, random) => added(path, random.pick(['a=%', '%zz=1', 'a=%E0%A4%A', 'q=%ff%fe', 'q=%00'])),
}

const pathMutations: Readonly<Record<string, Mutation>> = {
  'another segment': ({ path }, random) => {
    const [before = '', ...query] = path.split('?')
    const segments = before.split('/')
    const at = 3 + random.below(Math.max(1, segments.length - 3))
    segments[at] = encode(random.pick(nastyTexts)).slice(0, 1000)
    return { path: [segments.join('/'), ...query].join('?') }
  },
  'a path as it is not written': ({ path }, random) =>
    random.pick([
      { path: path.replace('/v1/', '/v1//') },
      { path: `${path.split('?')[0]}/` },
      { path: path.toUpperCase() },
      { path: path.replace('/v1/', '/v1/../v1/') },
      { path: path.replace('/v1/', '/v1/%2e/') },
    ]),
  'another method': (_request, random) => ({
    method: random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND', 'TRACE']),
  }),
}

/** The names of many parameters, by their position. */
const parameterNames: readonly ((at: number) => string)[] = [
  () => 'a',
  () => 'a=1',
  () => '',
  (at) => `p${at}=1`,
  (at) => `a[${at}]=1`,
  (at) => `a${'[b]'.repeat(at % 50)}=1`,
]

/** Headers that are negotiated or split, and pieces that fill them. */
const splitHeaders = Object.entries(headerLimits)
const headerPieces = ['a/b;c="d;e,f";', 'a=b;', 'W/"a",', 'de-a;q=0.1,', '127.0.0.1,', ';', ' ,']

const headers: readonly [string, string | string[]][] = [
  ['if-match', '*'],
  ['if-match', 'nonsense'],
  ['if-match', '"1-s-00000000", "2-s-00000000"'],
  ['if-none-match', 'W/"x"'],
  ['if-none-match', '"'.repeat(3000)],
  ['if-modified-since', 'yesterday'],
  ['idempotency-key', ''],
  ['idempotency-key', 'k'.repeat(5000)],
  ['idempotency-key', 'ü\t'],
  ['accept', 'text/csv'],
  ['accept', 'application/x-ndjson'],
  ['accept', 'image/png'],
  ['accept', ';;q=q'],
  ['accept-language', 'de-x-nonsense;q=9'],
  ['range', 'bytes=0-0'],
  ['range', 'bytes=-1,5-,9-2'],
  ['prefer', 'return=minimal'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-host', 'evil.example'],
  ['forwarded', 'for=1.2.3.4;host=evil.example;proto=https'],
  ['x-request-id', '"><script>'],
  ['authorization', 'Bearer'],
  ['authorization', 'Basic %%%'],
  ['authorization', `Bearer ${'x'.repeat(6000)}`],
  ['traceparent', '00-zz-zz-zz'],
  ['origin', 'null'],
  ['cookie', 'sg_session=%zz; __proto__=1; =; ;;'],
]

const headerMutations: Readonly<Record<string, Mutation>> = {
  'an odd header': (request, random) => {
    const [name, value] = random.pick(headers)
    return { headers: { ...request.headers, [name]: value } }
  },
}

const longHeaders: Readonly<Record<string, Mutation>> = {
  'a long header': (request, random) => {
    const [name, limit] = random.pick(splitHeaders.filter(([one]) => one !== 'host'))
    const length = limit + random.below(2)
    return { headers: { ...request.headers, [name]: random.pick(headerPieces).repeat(length).slice(0, length) } }
  },
}

const all = Object.entries({ ...bodyMutations, ...queryMutations, ...pathMutations, ...headerMutations, ...longHeaders })

/** Returns the request with this many mutations that apply to it. */
export function mutated(request: FuzzRequest, count: number, random: SeededRandom): FuzzRequest {
  let changed = request
  for (let tries = 0; tries < 12 && changed.mutations.length < count; tries += 1) {
    const [name, mutate] = random.pick(all)
    const change = safely(() => mutate(changed, random))
    if (change) changed = { ...changed, ...change, mutations: [...changed.mutations, name] }
  }
  return changed
}

const added = (path: string, pair: string): Partial<FuzzRequest> => ({ path: `${path}${path.includes('?') ? '&' : '?'}${pair}` })
export const encode = (text: string): string => encodeURIComponent(text.toWellFormed())
