import type { School } from '../../base/school.ts'
import type { Exchange, Exchanges } from './engineTransaction.ts'

/** Returns a function that loads something about the school of a request once for each request. */
export function oncePerRequest<Value>(exchanges: Exchanges, load: (school: School) => Promise<Value>): (school: School) => Promise<Value> {
  const loaded = new WeakMap<Exchange, Promise<Value>>()
  return (school) => {
    const exchange = exchanges.getStore()
    if (!exchange) return load(school)
    const known = loaded.get(exchange)
    if (known !== undefined) return known
    const loading = load(school)
    loaded.set(exchange, loading)
    return loading
  }
}
