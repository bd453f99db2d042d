export interface FoundRoute<Handler> {
  handler: Handler
  params: Readonly<Record<string, string>>
}

interface Node<Handler> {
  literals: Map<string, Node<Handler>>
  parameter: Node<Handler> | undefined
  routes: Map<string, { handler: Handler; names: readonly string[] }>
}

export interface Routes<Handler> {
  add(method: string, template: string, handler: Handler): void
  /** Returns the route of a request. HEAD uses the route of GET. A literal segment goes before a parameter. */
  find(method: string, path: string): FoundRoute<Handler> | undefined
  methodsAt(path: string): ReadonlySet<string>
}

/** Creates a tree of routes: the cost of finding one depends on the length of its path, not on the number of routes. */
export function createRoutes<Handler>(): Routes<Handler> {
  const node = (): Node<Handler> => ({ literals: new Map(), parameter: undefined, routes: new Map() })
  const root = node()
  const add: Routes<Handler>['add'] = (method, template, handler) => {
    let current = root
    const names: string[] = []
    for (const segment of segmentsOf(template)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1]
      if (name === undefined) {
        const next = current.literals.get(segment) ?? node()
        current.literals.set(segment, next)
        current = next
      } else {
        current.parameter ??= node()
        current = current.parameter
        names.push(name)
      }
    }
    current.routes.set(method, { handler, names })
  }
  return {
    add,
    find(method, path) {
      const found = search(root, { method: method === 'HEAD' ? 'GET' : method, segments: segmentsOf(path) }, 0, [])
      if (!found) return undefined
      const params: Record<string, string> = {}
      for (const [index, name] of found.names.entries()) params[name] = decoded(found.values[index] ?? '')
      return { handler: found.handler, params }
    },
    methodsAt(path) {
      const methods = [...matches(root, segmentsOf(path), 0, [])].flatMap(([{ routes }]) => [...routes.keys()])
      return new Set(methods.flatMap((method) => (method === 'GET' ? ['HEAD', 'GET'] : [method])))
    },
  }
}

/** Returns the segments of a path. A slash at its end is ignored. */
const segmentsOf = (path: string): string[] => (path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/')

/** Returns the first route with this method among `matches`. */
function search<Handler>(
  node: Node<Handler>,
  wanted: { method: string; segments: readonly string[] },
  depth: number,
  values: readonly string[],
): { handler: Handler; names: readonly string[]; values: readonly string[] } | undefined {
  const segment = wanted.segments[depth]
  if (segment === undefined) {
    const route = node.routes.get(wanted.method)
    return route && { ...route, values }
  }
  const literal = node.literals.get(segment)
  const found = literal && search(literal, wanted, depth + 1, values)
  if (found || !node.parameter || segment === '') return found
  return search(node.parameter, wanted, depth + 1, [...values, segment])
}

function* matches<Handler>(
  node: Node<Handler>,
  segments: readonly string[],
  depth: number,
  values: readonly string[],
): Generator<[Node<Handler>, readonly string[]]> {
  const segment = segments[depth]
  if (segment === undefined) {
    yield [node, values]
    return
  }
  const literal = node.literals.get(segment)
  if (literal) yield* matches(literal, segments, depth + 1, values)
  if (node.parameter && segment !== '') yield* matches(node.parameter, segments, depth + 1, [...values, segment])
}

/** Text that is not valid percent-encoding stays as it is: no key has it. */
function decoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
