import { Problem } from '../problem.ts'

/** The most parameters of a query. Operations have a dozen, and the filters of a list may be combined. */
const maxParameters = 100

/** The parameters of a query. A name that occurs several times has all its values. */
export type Query = NodeJS.Dict<string | string[]>

/** Returns true if a query has more parameters than allowed, empty ones among them. Parses nothing. */
export function hasTooManyParameters(text: string): boolean {
  let separators = 0
  for (let at = text.indexOf('&'); at !== -1 && separators < maxParameters; at = text.indexOf('&', at + 1)) separators += 1
  return separators >= maxParameters
}

export const tooManyParameters = (): Problem =>
  new Problem('invalid_request', {
    description: `The query must have at most ${maxParameters} parameters. Remove some, and separate the values of a list with commas.`,
  })

/**
 * Parses a query in one pass. The result has no prototype, so that a parameter named `__proto__` is one like any other.
 * @throws Problem invalid_request above the number of parameters
 */
export function parseQuery(text: string): Query {
  if (hasTooManyParameters(text)) throw tooManyParameters()
  const query: Query = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const known = query[name]
    if (known === undefined) query[name] = value
    else if (Array.isArray(known)) known.push(value)
    else query[name] = [known, value]
  }
  return query
}
