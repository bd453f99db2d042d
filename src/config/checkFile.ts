import type { z } from 'zod'
import { plainAscii } from '../base/problem.ts'
import { nearest } from '../base/text/nearest.ts'
import type { ConfigIssue } from './configErrors.ts'
import { branchesOf, describeType, type JsonSchema, keysOf, type Path, schemaAt, toJsonSchema } from './jsonSchema.ts'
import { type Finding, readYaml } from './yamlText.ts'

export interface CheckedFile<Value> {
  file: string
  value: Value | undefined
  /** The parsed content of the file, including invalid content. */
  raw: unknown
  issues: ConfigIssue[]
  lineOf(path: Path): number
}

export function checkFile<Schema extends z.ZodType>(file: string, text: string, schema: Schema): CheckedFile<z.output<Schema>> {
  let converted: JsonSchema | undefined
  const shapeOf = (): JsonSchema => {
    converted ??= toJsonSchema(schema)
    return converted
  }
  const {
    value: raw,
    findings,
    isReadable,
    lineOf,
  } = readYaml(text, (path) => path.length === 0 || schemaAt(shapeOf(), path)?.type === 'object')
  const parsed = isReadable ? schema.safeParse(raw) : undefined
  const invalid = new Set(findings.map(({ path }) => formatPath(path)))
  const judged = (parsed?.error?.issues ?? [])
    .flatMap((issue) => judge(issue, shapeOf(), raw))
    .filter(({ path }) => path.length === 0 || !invalid.has(formatPath(path)))
    .map((finding): Finding => ({ ...finding, line: lineOf(finding.path) }))
  const issues = [...findings, ...judged].map(({ path, line, expected, nearest: name }) => ({
    file,
    line,
    key: formatPath(path),
    expected,
    nearest: name,
  }))
  return { file, value: issues.length === 0 ? parsed?.data : undefined, raw, issues, lineOf }
}

type Judgement = Omit<Finding, 'line'>

/** Converts schema issues to sentences. They never contain a value, because it may be a secret in the wrong place. */
function judge(issue: z.core.$ZodIssue, shape: JsonSchema, raw: unknown): Judgement[] {
  const { path } = issue
  const schema = schemaAt(shape, path) ?? {}
  const value = valueAt(raw, path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], expected: 'is not a known key', nearest: nearestKey(key, schema, shape) }))
  }
  if (issue.code === 'custom' && issue.params?.expected !== undefined) {
    const names: unknown = issue.params.names
    return [{ path, expected: String(issue.params.expected), nearest: Array.isArray(names) ? nearestValue(value, names) : undefined }]
  }
  if (issue.code === 'invalid_union') {
    // The branch that has the kind of the value: its errors are inside the value, or about its keys.
    const isInside = (nested: z.core.$ZodIssue): boolean => nested.path.length > 0 || nested.code === 'unrecognized_keys'
    const inner = issue.errors.find((branch) => branch.some(isInside)) ?? []
    if (inner.length > 0) return inner.flatMap((nested) => judge({ ...nested, path: [...path, ...nested.path] }, shape, raw))
  }
  if (value === undefined) return [{ path, expected: `is missing: it must be ${describeType(schema)}` }]
  return [{ path, expected: `must be ${describeType(schema)}${insteadOf(value, schema)}`, nearest: nearestValue(value, wordsOf(schema)) }]
}

/** Returns the known key that was probably meant. A key that exists elsewhere in the file is in the wrong place rather than misspelt. */
function nearestKey(key: string, schema: JsonSchema, shape: JsonSchema): string | undefined {
  for (const { name } of keysOf(shape)) if (name.endsWith(`.${key}`) && !name.includes('[]')) return name
  return nearest(
    key,
    branchesOf(schema).flatMap(({ properties = {} }) => Object.keys(properties)),
  )
}

const wordsOf = (schema: JsonSchema): unknown[] => branchesOf(schema).flatMap((branch) => branch.enum ?? [])

const nearestValue = (value: unknown, names: readonly unknown[]): string | undefined =>
  typeof value === 'string' ? nearest(value, names.map(String)) : undefined

function insteadOf(value: unknown, schema: JsonSchema): string {
  const kind = kindOf(value)
  const wanted = schema.type === 'integer' ? 'number' : schema.type
  if (wanted === undefined || kind.type === wanted) return ''
  const hint =
    wanted === 'string' && schema.title === undefined && schema.enum === undefined && typeof value !== 'object' ? ': put it in quotes' : ''
  return `, not ${kind.name}${hint}`
}

function kindOf(value: unknown): { type: string; name: string } {
  if (value === null) return { type: 'null', name: 'empty' }
  if (Array.isArray(value)) return { type: 'array', name: 'a list' }
  const names: Record<string, string> = { object: 'a mapping', string: 'text', number: 'a number', boolean: 'true or false' }
  return { type: typeof value, name: names[typeof value] ?? typeof value }
}

function valueAt(raw: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, part) => (typeof value === 'object' && value !== null && Object.hasOwn(value, part) ? Reflect.get(value, part) : undefined),
    raw,
  )
}

/** Formats a path as `integrations[0].client_id`. Quotes names that no schema can have, because they can contain any character. */
function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    const name = /^[\w-]{1,60}$/.test(String(part)) ? String(part) : `'${plainAscii(String(part).slice(0, 60))}'`
    return text === '' ? name : `${text}.${name}`
  }, '')
}
