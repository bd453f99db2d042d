import Koa, { type Request } from 'koa'
import { parseQuery, type Query } from './query.ts'

interface Parsed {
  text: string
  query: Query
}

/**
 * Creates a Koa application whose contexts parse queries with `parseQuery`: Koa's own parser compares every parameter with every other.
 * Middleware that is mounted, such as the engine, gets the same contexts.
 */
export function createKoa(): Koa {
  const koa = new Koa()
  const parsed = new WeakMap<Request, Parsed>()
  Object.defineProperty(koa.request, 'query', {
    configurable: true,
    get(this: Request): Query {
      const text = this.querystring
      const known = parsed.get(this)
      if (known?.text === text) return known.query
      const query = parseQuery(text)
      parsed.set(this, { text, query })
      return query
    },
  })
  return koa
}
