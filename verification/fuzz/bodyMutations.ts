import type { SeededRandom } from '../seededRandom.ts'
import type { Mutation } from './mutations.ts'
import { nastyTexts, nastyValues } from './nasty.ts'
import type { FuzzRequest } from './wire.ts'

type Json = Record<string, unknown>

const jsonOf = ({ body, headers }: FuzzRequest): unknown =>
  body && /json/.test(String(headers['content-type'])) ? JSON.parse(body.toString()) : undefined

const objectOf = (request: FuzzRequest): Json | undefined => {
  const json = safely(() => jsonOf(request))
  return json !== null && typeof json === 'object' && !Array.isArray(json) ? (json as Json) : undefined
}

const withJson = (value: unknown): Partial<FuzzRequest> => ({ body: Buffer.from(JSON.stringify(value)) })

/** Changes one value somewhere in the body. */
function changeValue(random: SeededRandom, value: unknown, change: () => unknown): unknown {
  if (value === null || typeof value !== 'object' || random.chance(0.3)) return change()
  const names = Object.keys(value)
  if (names.length === 0) return change()
  const name = random.pick(names)
  const copy: Json = Array.isArray(value) ? ([...value] as unknown as Json) : { ...value }
  copy[name] = changeValue(random, copy[name], change)
  return copy
}

const nested = (depth: number, [open, close]: [string, string]): Buffer => Buffer.from(open.repeat(depth) + close.repeat(depth))

/** Changes of the body, and of the headers that describe it. */
export const bodyMutations: Readonly<Record<string, Mutation>> = {
  'a value of another kind': (request, random) => {
    const object = objectOf(request)
    return object && withJson(changeValue(random, object, () => random.pick(nastyValues)))
  },
  'a missing member': (request, random) => {
    const object = objectOf(request)
    const names = Object.keys(object ?? {})
    if (!object || names.length === 0) return undefined
    const { [random.pick(names)]: _left, ...others } = object
    return withJson(others)
  },
  'an unknown member': (request, random) => {
    const object = objectOf(request)
    return (
      object &&
      withJson({
        ...object,
        [random.pick(['colour', 'id', 'school_id', 'status', 'created_at', 'role', 'version'])]: random.pick(nastyValues),
      })
    )
  },
  'a member __proto__': (request) => {
    const object = objectOf(request)
    const text = JSON.stringify(object ?? {})
    return {
      body: Buffer.from(`{"__proto__":{"role":"owner"},"constructor":{"prototype":{"a":1}}${text.length > 2 ? `,${text.slice(1)}` : '}'}`),
    }
  },
  'a duplicate member': (request, random) => {
    const object = objectOf(request)
    const [name, value] = Object.entries(object ?? {})[0] ?? []
    if (name === undefined) return undefined
    return {
      body: Buffer.from(
        `{${JSON.stringify(name)}:${JSON.stringify(random.pick(nastyValues))},${JSON.stringify({ [name]: value }).slice(1)}`,
      ),
    }
  },
  'a body cut off': ({ body }, random) => body && { body: body.subarray(0, random.below(body.length + 1)) },
  'a changed byte': ({ body }, random) => {
    if (!body || body.length === 0) return undefined
    const copy = Buffer.from(body)
    copy[random.below(copy.length)] = random.below(256)
    return { body: copy }
  },
  'another kind of JSON': (_request, random) => withJson(random.pick([null, [], 'text', 7, [{}], [[[]]], true])),
  'deep nesting': (_request, random) => ({
    body: nested(
      random.pick([30, 300, 20_000]),
      random.pick([
        ['[', ']'],
        ['{"a":', '}'],
      ] as [string, string][]),
    ),
  }),
  'many members': (_request, random) =>
    withJson(Object.fromEntries(Array.from({ length: random.pick([300, 5000]) }, (_, at) => [`m${at}`, at]))),
  'many items': (request, random) => {
    const object = objectOf(request)
    const found = Object.entries(object ?? {}).find(([, value]) => Array.isArray(value))
    return (
      object &&
      withJson({
        ...object,
        [found?.[0] ?? 'tags']: Array.from({ length: random.pick([101, 3000]) }, () => (found?.[1] as unknown[] | undefined)?.[0] ?? 'a'),
      })
    )
  },
  'a long text': (request, random) => {
    const object = objectOf(request)
    return (
      object &&
      withJson(
        changeValue(random, object, () =>
          random
            .pick(nastyTexts)
            .repeat(random.pick([2, 20]))
            .slice(0, 400_000),
        ),
      )
    )
  },
  'a body above the limit': (_request, random) => (random.chance(0.1) ? withJson({ title: 'a'.repeat(1_200_000) }) : undefined),
  'another media type': ({ body, headers }, random) =>
    body && {
      headers: {
        ...headers,
        'content-type': random.pick([
          'text/plain',
          'application/xml',
          'application/json; charset=utf-16',
          'multipart/form-data',
          'application/x-www-form-urlencoded',
          '',
          ';;;',
        ]),
      },
    },
  'a content encoding': ({ body, headers }, random) =>
    body && { headers: { ...headers, 'content-encoding': random.pick(['gzip', 'br', 'identity', 'nonsense']) } },
  'an empty body': ({ body }) => body && { body: Buffer.alloc(0) },
  'a body where there is none': ({ body }) => (body ? undefined : { body: Buffer.from('{"a":1}') }),
}

/** A mutation that needs a well-formed body does not apply to one that an earlier mutation damaged. */
export function safely<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
