import type { Context } from 'koa'
import type { Operation } from '../framework/declare/operations.ts'
import { Problem } from '../lib/problem.ts'

/**
 * What the request says: the parameters of its path and of its query, as text.
 * @throws Problem invalid_parameter for a key that stands twice, or in the query although it belongs into the path
 */
export function rawParameters(ctx: Context, { parameters }: Pick<Operation, 'parameters'>): Record<string, string> {
  const inPath = new Set(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name))
  const inQuery = Object.entries(ctx.query).map(([name, value]) => {
    if (typeof value !== 'string') throw refusal(name, 'stands more than once. Separate the values of a list by commas.')
    if (inPath.has(name)) throw refusal(name, 'belongs into the path.')
    return [name, value]
  })
  return { ...Object.fromEntries(inQuery), ...ctx.params }
}

function refusal(name: string, fault: string): Problem {
  const message = `The parameter ${name.slice(0, 100)} ${fault}`
  return new Problem('invalid_parameter', { description: message, details: [{ field: name.slice(0, 100), code: 'misplaced', message }] })
}
