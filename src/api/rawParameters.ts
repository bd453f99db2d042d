import type { Context } from 'koa'
import type { Operation } from '../framework/declare/operations.ts'
import { Problem } from '../lib/problem.ts'

/**
 * Returns the parameters of the request's path and query as text.
 * @throws Problem invalid_parameter if a key is repeated, or if a path parameter is sent in the query
 */
export function rawParameters(
  ctx: Context,
  { parameters }: Pick<Operation, 'parameters'>,
  params: Readonly<Record<string, string>>,
): Record<string, string> {
  const inPath = new Set(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name))
  const inQuery = Object.entries(ctx.query).map(([name, value]) => {
    if (typeof value !== 'string') throw misplaced(name, 'is repeated. Separate the values of a list with commas.')
    if (inPath.has(name)) throw misplaced(name, 'is a path parameter. Remove it from the query.')
    return [name, value]
  })
  return { ...Object.fromEntries(inQuery), ...params }
}

function misplaced(name: string, rule: string): Problem {
  const message = `The parameter ${name.slice(0, 100)} ${rule}`
  return new Problem('invalid_parameter', { description: message, details: [{ field: name.slice(0, 100), code: 'misplaced', message }] })
}
