import type { CompiledQuery } from 'kysely'
import { createCaches } from '../../base/process/caches.ts'
import { schoolOf } from '../school/schoolParameter.ts'

/** A value of a statement. A list is bound as a whole, as one array. */
export type StatementValue = string | number | Date | null | readonly string[]

export type StatementValues = Readonly<Record<string, StatementValue | undefined>>

interface Compilable {
  compile(): CompiledQuery
}

/**
 * Statements of reads, by their shape. The builder runs once for each shape, with a marker in place of each value; afterwards values are bound
 * to the compiled text. A value therefore never becomes a part of a text, and a text that depends on a value is never shared: such a statement
 * is built for each request.
 */
export interface StatementCache {
  /**
   * Returns the statement with these values. `shape` names everything else that determines the text. `build` must use the values only as
   * values of the statement; it gets markers in their place.
   */
  compile(shape: string, values: StatementValues, build: (values: StatementValues) => Compilable): CompiledQuery
  /** How many statements have been built: one for each shape, and one for each request of a shape that cannot be shared. */
  readonly built: number
}

/** A parameter of a shared statement: the same in every request, or taken from the values of the request. */
type Parameter = { constant: unknown } | { name: string }

interface Shared {
  compiled: CompiledQuery
  parameters: readonly Parameter[]
}

const markerStart = '3f6d2b1e-9c47-7e58-8a0d-'

/** Thrown by a builder that reads a value for which no placeholder exists: its statement cannot be shared. */
export class NotShareable extends Error {}

export function createStatementCache(caches = createCaches()): StatementCache {
  const shapes = caches.create<Shared | 'not shareable'>('statements')
  let built = 0
  return {
    compile(shape, values, build) {
      const key = `${shape} ${Object.entries(values).map(kindOf).join(' ')}`
      let shared = shapes.get(key)
      if (shared === undefined) {
        built += 1
        shared = share(values, build)
        shapes.set(key, shared)
      }
      if (shared !== 'not shareable') return bind(shared, values)
      built += 1
      return build(values).compile()
    },
    get built() {
      return built
    },
  }
}

/** Absent values and lists change the text, so they belong to the shape. */
function kindOf([name, value]: [string, StatementValues[string]]): string {
  if (value === undefined) return ''
  return `${name}:${value === null ? 'null' : Array.isArray(value) ? 'list' : 'one'}`
}

function share(values: StatementValues, build: (values: StatementValues) => Compilable): Shared | 'not shareable' {
  const names = Object.entries(values).flatMap(([name, value]) => (value === null || value === undefined ? [] : [name]))
  const markers = new Map(names.map((name, index) => [name, `${markerStart}${String(index).padStart(12, '0')}`]))
  const marked: Record<string, StatementValue | undefined> = { ...values }
  for (const [name, marker] of markers) marked[name] = Array.isArray(values[name]) ? [marker] : marker
  try {
    const compiled = build(marked).compile()
    const nameOf = new Map([...markers].map(([name, marker]) => [marker, name]))
    const parameters = compiled.parameters.map((one) => parameterOf(one, nameOf))
    const school = schoolOf(compiled)
    if (school !== undefined && !nameOf.has(String(school))) throw new Error('a statement for all schools was built with the handle of one')
    if (compiled.sql.includes(markerStart)) return 'not shareable'
    return { compiled, parameters }
  } catch (error) {
    if (error instanceof NotShareable) return 'not shareable'
    throw error
  }
}

function parameterOf(value: unknown, nameOf: ReadonlyMap<string, string>): Parameter {
  const marker = Array.isArray(value) && value.length === 1 ? value[0] : value
  const name = typeof marker === 'string' ? nameOf.get(marker) : undefined
  if (name !== undefined) return { name }
  // A time that is not a value of the request is the time of this request. A marker inside of another value would be sent to the database in
  // place of the value.
  if (value instanceof Date || JSON.stringify(value)?.includes(markerStart)) throw new NotShareable()
  return { constant: value }
}

function bind({ compiled, parameters }: Shared, values: StatementValues): CompiledQuery {
  const bound = parameters.map((one) => ('name' in one ? values[one.name] : one.constant))
  return { ...compiled, parameters: bound }
}
