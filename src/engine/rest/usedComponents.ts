import type { Json } from './namedSchemas.ts'

type Components = Readonly<Record<string, Readonly<Record<string, Json>>>>

/** Returns the components that the paths refer to, directly or through another component, sorted by name. */
export function usedComponents(paths: object, components: Components): Record<string, Record<string, Json>> {
  const used = new Set<string>()
  const follow = (part: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)) {
      const key = `${kind}/${name}`
      if (used.has(key)) continue
      used.add(key)
      follow(components[kind]?.[name] ?? {})
    }
  }
  follow(paths)
  return Object.fromEntries(
    Object.entries(components).map(([kind, parts]) => [
      kind,
      Object.fromEntries(
        Object.entries(parts)
          .filter(([name]) => used.has(`${kind}/${name}`))
          .toSorted(([left], [right]) => (left < right ? -1 : 1)),
      ),
    ]),
  )
}
