import type { SeededRandom } from '../seededRandom.ts'
import type { Memory } from './memory.ts'
import { encode } from './mutations.ts'
import type { Parameter, Target } from './openApiTargets.ts'
import type { ValueMaker } from './values.ts'
import type { FuzzRequest } from './wire.ts'

export interface Sources {
  memory: Memory
  random: SeededRandom
  validValue: ValueMaker
}

/** A request without its token: the caller is decided later. */
export type Draft = Omit<FuzzRequest, 'role'>

/** Returns a request that is valid by the description of its operation. A known id is used for the first id of its path. */
export function apiRequest({ id, method, path, parameters, bodies }: Target, sources: Sources, known?: string): Draft {
  const { memory, random, validValue } = sources
  let first = known
  let object: string | undefined
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    const value = first ?? (parameter ? segment(parameter, sources) : undefined) ?? 'unknown'
    first = undefined
    object ??= value
    return encode(value)
  })
  const optional = parameters.filter((one) => one.in === 'query' && !one.required)
  const share = Math.min(0.4, 2 / Math.max(1, optional.length))
  const chosen = parameters.filter((one) => one.in === 'query' && (one.required || random.chance(share)))
  const query = chosen.map((one) => `${encode(one.name)}=${encode(asText(parameterValue(one, sources)))}`).join('&')
  const headers: Record<string, string> = {}
  if (parameters.some(({ name }) => name === 'If-Match') && random.chance(0.85))
    headers['if-match'] = (object && memory.entityTag(object)) ?? '*'
  if (parameters.some(({ name }) => name === 'Idempotency-Key') && random.chance(0.15))
    headers['idempotency-key'] = `key-${random.below(40)}`
  if (parameters.some(({ name }) => name === 'If-None-Match') && random.chance(0.1))
    headers['if-none-match'] = (object && memory.entityTag(object)) ?? '*'
  const draft: Draft = { target: id, method, path: query ? `${filled}?${query}` : filled, headers, mutations: [] }
  if (bodies.length === 0) return draft
  const [type, schema] = random.pick(bodies)
  if (type === 'multipart/form-data') return { ...draft, ...upload(random, validValue(schema)) }
  return { ...draft, headers: { ...headers, 'content-type': type }, body: Buffer.from(JSON.stringify(validValue(schema)) ?? '{}') }
}

/** Returns the value of a path parameter: an id of the kind that its description names, a slug, a number or `me`. */
function segment({ name, description, schema }: Parameter, { memory, random, validValue }: Sources): string | undefined {
  const prefixes = [...description.matchAll(/\b([a-z]{3})_/g)].map(([, prefix]) => prefix ?? '')
  if (name.includes('_or_me') && random.chance(0.2)) return 'me'
  if (name.includes('_or_slug') && random.chance(0.3)) return memory.value(random, 'slug')
  if (name.includes('number')) return memory.value(random, 'number') ?? memory.value(random, 'code')
  if (schema.type === 'integer') return String(1 + random.below(4))
  const id = prefixes.length > 0 && random.chance(0.97) ? memory.id(random, random.pick(prefixes)) : memory.anyId(random)
  return id ?? asText(validValue(schema)).slice(0, 200)
}

function parameterValue({ name, schema, example }: Parameter, { memory, random, validValue }: Sources): unknown {
  if (name === 'cursor') return memory.value(random, 'next_cursor') ?? 'latest'
  if (example !== undefined && random.chance(0.5)) return example
  return validValue(schema)
}

const asText = (value: unknown): string =>
  Array.isArray(value) ? value.join(',') : value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value)

const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const contents: readonly [name: string, type: string, content: Buffer][] = [
  ['a.png', 'image/png', pixel],
  ['a.svg', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><g fill="red"><path d="M0 0"/></g></svg>')],
  ['a.txt', 'text/plain', Buffer.from('text')],
  ['a.pdf', 'application/pdf', Buffer.from('%PDF-1.4\n%%EOF')],
  ['a.png', 'image/png', Buffer.from('no picture')],
  ['../..\\a"\r\n.html', 'text/html', Buffer.from('<script>alert(1)</script>')],
]

/** Returns a file with the other fields of the form. */
function upload(random: SeededRandom, fields: unknown): Pick<Draft, 'headers' | 'body'> {
  const boundary = 'fuzz-boundary'
  const texts = Object.entries((fields ?? {}) as object).filter(([name]) => name !== 'file')
  const [name, type, content] = random.pick(contents)
  const parts = texts.map(([field, value]) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${asText(value)}\r\n`),
  )
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name.replaceAll('"', '%22').replaceAll('\r\n', '%0D%0A')}"\r\nContent-Type: ${type}\r\n\r\n`
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...parts, Buffer.from(file), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
