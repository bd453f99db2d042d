import type { Operation } from '../../framework/declare/operations.ts'
import type { Parameter } from '../../framework/declare/parameters.ts'
import { publishedSchema } from '../../framework/output/publishedSchemas.ts'
import { code, Markdown, markdown, type Part, table } from '../markdown.ts'
import { callOf } from './operationLine.ts'
import { typeText } from './schemaText.ts'

/** Parameters of every list, which `/api.md` describes. */
const ofEveryList = new Set(['limit', 'cursor', 'fields', 'include'])

/** Returns the parameters of the operations. Those of several operations are listed once; comparisons of one field share a row. */
export function listParametersMd(operations: readonly Operation[]): Markdown[] {
  const found = new Map<string, { parameter: Parameter; operators: string[]; calls: string[] }>()
  for (const operation of operations) {
    for (const parameter of operation.parameters.filter((one) => one.in === 'query' && !ofEveryList.has(one.name))) {
      const [, name = parameter.name, operator] = /^(.+?)(?:\[(\w+)\])?$/.exec(parameter.name) ?? []
      const key = `${name} ${JSON.stringify(publishedSchema(parameter.schema)).length > 300 ? parameter.description : ''}`
      const known = found.get(key) ?? { parameter, operators: [], calls: [] }
      if (operator !== undefined && !known.operators.includes(operator)) known.operators.push(operator)
      if (!known.calls.includes(callOf(operation))) known.calls.push(callOf(operation))
      found.set(key, known)
    }
  }
  if (found.size === 0) return []
  const lists = operations.filter(({ kind }) => kind === 'list').map(callOf)
  const rows = [...found.values()].map(({ parameter, operators, calls }): Part[] => [
    code(parameter.name.replace(/\[\w+\]$/, '') + (operators.length > 0 ? `[${operators.join(',')}]` : '')),
    typeText(publishedSchema(parameter.schema)),
    `${operators.length > 0 ? (parameter.filter?.filter.description ?? '') : parameter.description}${parameter.isStaffOnly ? ' For staff.' : ''}`,
    calls.length === lists.length && calls.every((call) => lists.includes(call))
      ? 'every list'
      : new Markdown(calls.map((call) => code(call).text).join(', ')),
  ])
  return [markdown`## Filters and other parameters`, table(['Parameter', 'Value', 'Meaning', 'Of'], rows)]
}
