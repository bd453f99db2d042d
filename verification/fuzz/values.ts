import { createGeneratorSync, type JsonSchema } from 'json-schema-faker'
import type { SeededRandom } from '../seededRandom.ts'
import type { Memory } from './memory.ts'
import type { Schema } from './openApiTargets.ts'

/** Returns a value that is valid by the schema. */
export type ValueMaker = (schema: Schema) => unknown

/**
 * Creates a generator of valid values. Where a schema asks for an id, the value is the id of an existing object.
 *
 * @param document the document to whose parts the schemas refer, such as `#/components/schemas/Course`
 */
export function createValueMaker(document: { components?: object }, memory: Memory, random: SeededRandom, seed: number): ValueMaker {
  const prefixes = new Set<string>()
  const components = forGenerator(document.components ?? {}, prefixes) as Record<string, Record<string, JsonSchema>>
  const prepared = new WeakMap<object, JsonSchema>()
  const formats: Record<string, () => string> = {}
  const { generate } = createGeneratorSync({
    seed,
    maxDepth: 6,
    // Bounds that keep the usual request small; mutations send large ones.
    maxItems: 3,
    maxLength: 200,
    optionalsProbability: 0.3,
    formats,
    refResolver(reference) {
      const [, , kind = '', name = ''] = reference.split('/')
      return components[kind]?.[name] ?? true
    },
  })
  const prepare = (schema: Schema): JsonSchema => {
    const ready = forGenerator(schema, prefixes) as JsonSchema
    for (const list of prefixes) {
      formats[`id-of-${list}`] ??= () => {
        const prefix = random.pick(list.split('|'))
        return memory.id(random, prefix) ?? `${prefix}_01jgwejj00e6srgkpqm2sqf05m`
      }
    }
    prepared.set(schema, ready)
    return ready
  }
  return (schema) => generate(prepared.get(schema) ?? prepare(schema))
}

/**
 * Rewrites a schema of OpenAPI 3.0 for the generator: JSON Schema has no keyword `nullable`. The format of ids becomes `id-of-<prefix>`,
 * and examples are among the values, because rules that a schema cannot express accept them.
 */
function forGenerator(value: unknown, prefixes: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((part) => forGenerator(part, prefixes))
  if (value === null || typeof value !== 'object') return value
  const { nullable, example, ...others } = value as Record<string, unknown>
  const schema = Object.fromEntries(Object.entries(others).map(([name, part]) => [name, forGenerator(part, prefixes)]))
  const prefix = typeof schema.pattern === 'string' ? /^\^\(?([a-z|]{2,40})\)?_\[0-7\]/.exec(schema.pattern)?.[1] : undefined
  if (prefix) prefixes.add(prefix)
  const own = prefix ? { type: 'string', format: `id-of-${prefix}` } : schema
  const choices = [own, ...(example === undefined || prefix ? [] : [{ const: example }]), ...(nullable === true ? [{ type: 'null' }] : [])]
  return choices.length === 1 ? own : { anyOf: choices }
}
