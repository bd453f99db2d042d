import type { Context } from 'koa'
import { Problem } from '../../base/problem.ts'
import type { Operation } from '../declare/operations.ts'

/**
 * Returns the parameters of the request's path and query as text.
 * @throws Problem invalid_parameter if a key is repeated, or if a path parameter is sent in the query
 */
export function rawParameters(
  ctx: Context,
  { parameters }: Pick<Operation, 'parameters'>,
  params: Readonly<Record<string, string>>,
): Record<string, string> {
  const { query } = ctx
  // Without a prototype, so that a parameter named __proto__ is a parameter like any other.
  const raw: Record<string, string> = Object.create(null)
  for (const name of Object.keys(query)) {
    const value = query[name]
    if (typeof value !== 'string') throw misplaced(name, 'is repeated. Separate the values of a list with commas.')
    if (parameters.some((parameter) => parameter.in === 'path' && parameter.name === name))
      throw misplaced(name, 'is a path parameter. Remove it from the query.')
    raw[name] = value
  }
  return Object.assign(raw, params)
}

function misplaced(name: string, rule: string): Problem {
  const message = `The parameter ${name.slice(0, 100)} ${rule}`
  return new Problem('invalid_parameter', { description: message, details: [{ field: name.slice(0, 100), code: 'misplaced', message }] })
}
