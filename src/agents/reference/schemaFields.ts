import type { SchemaNode } from './apiDocument.ts'

export interface FieldRow {
  /** Path below the object, such as `price.amount` or `items[].id`. */
  name: string
  type: string
  isRequired: boolean
  description: string
}

type Resolve = (node: SchemaNode) => SchemaNode

const [deepest, most] = [4, 200]

/** Returns the members of an object, and those of the objects inside of it. A list shows the members of its items. */
export function fieldsOf(schema: SchemaNode, resolve: Resolve): FieldRow[] {
  const rows: FieldRow[] = []
  const visit = (node: SchemaNode, prefix: string, depth: number): void => {
    const merged = mergedOf(node, resolve)
    if (merged.type === 'array' && merged.items) {
      visit(merged.items, `${prefix}[]`, depth)
      return
    }
    for (const [name, member] of Object.entries(merged.properties ?? {})) {
      if (rows.length >= most) return
      const path = prefix === '' || prefix === '[]' ? name : `${prefix}.${name}`
      const own = mergedOf(member, resolve)
      rows.push({
        name: path,
        type: typeOf(member, resolve),
        isRequired: merged.required?.includes(name) ?? false,
        description: own.description ?? '',
      })
      if (depth < deepest) visit(member, path, depth + 1)
    }
  }
  visit(schema, '', 0)
  return rows
}

/** Returns the type of a value in words, such as `list of string` or `string (date-time), or null`, with the limits of the value. */
export function typeOf(node: SchemaNode, resolve: Resolve): string {
  const merged = mergedOf(node, resolve)
  const choices = merged.oneOf ?? merged.anyOf
  const base = choices
    ? [...new Set(choices.map((choice) => typeOf(choice, resolve)))].join(' or ')
    : merged.type === 'array'
      ? `list of ${merged.items ? typeOf(merged.items, resolve) : 'values'}`
      : merged.enum
        ? merged.enum.map(String).join(' | ')
        : `${merged.type ?? 'value'}${merged.format ? ` (${merged.format})` : ''}`
  return [base, ...limitsOf(merged), ...(merged.nullable ? ['or null'] : [])].join(', ')
}

function limitsOf({ minimum, maximum, minLength, maxLength, maxItems, default: standard }: SchemaNode): string[] {
  const range = (low: number | undefined, high: number | undefined, unit: string): string[] =>
    high !== undefined && high < Number.MAX_SAFE_INTEGER
      ? [low === undefined ? `at most ${high}${unit}` : `${low} to ${high}${unit}`]
      : low !== undefined && low > -Number.MAX_SAFE_INTEGER
        ? [`at least ${low}${unit}`]
        : []
  return [
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(undefined, maxItems, ' items'),
    ...(standard === undefined ? [] : [`default ${JSON.stringify(standard)}`]),
  ]
}

function mergedOf(node: SchemaNode, resolve: Resolve): SchemaNode {
  const found = resolve(node)
  if (!found.allOf) return found
  const parts = found.allOf.map((part) => mergedOf(part, resolve))
  const { allOf: _, ...own } = found
  return {
    ...Object.assign({}, ...parts),
    ...own,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), own.properties),
    required: [...parts.flatMap(({ required }) => required ?? []), ...(own.required ?? [])],
  }
}
