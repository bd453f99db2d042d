import type { Json } from './namedSchemas.ts'

type Components = Readonly<Record<string, Readonly<Record<string, Json>>>>

/**
 * Returns the components that the paths refer to, directly or through another component, sorted by name. The body of a request is next to its
 * row: their fields repeat, and `gzip` looks back 32 kB only.
 */
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
          .toSorted(([left], [right]) => (sortName(left) < sortName(right) ? -1 : 1)),
      ),
    ]),
  )
}

/** `UpdateCourseBody` follows `Course`. */
const sortName = (name: string): string => name.replace(/^[A-Z][a-z]+(?=[A-Z]\w*Body$)/, '')
