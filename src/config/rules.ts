import { z } from 'zod'
import type { Path } from './jsonSchema.ts'

// A rule is checked as soon as its values exist, so that one error does not hide another.
type When = { when(payload: { value: unknown }): boolean }

/** Returns the arguments of `refine` for a rule between two numbers, each at a dotted path. The error names the first path. */
export function numbersRule(paths: readonly [string, string], isRight: (a: number, b: number) => boolean, expected: string) {
  const [first, second] = paths.map((path) => path.split('.')) as [string[], string[]]
  const numbers = (value: unknown): unknown[] => [first, second].map((path) => valueAt(value, path))
  return [
    (value: unknown): boolean => isRight(...(numbers(value) as [number, number])),
    {
      path: first,
      params: { expected },
      when: ({ value }) => numbers(value).every((number) => typeof number === 'number'),
    } satisfies When & Record<string, unknown>,
  ] as const
}

/** Returns the arguments of `superRefine` for a list without duplicates, or without duplicates of the member `key`. */
export function noRepeats(key?: string) {
  const check = (list: readonly unknown[], context: Pick<z.core.$RefinementCtx, 'addIssue'>): void => {
    const seen = new Set<unknown>()
    for (const [index, item] of list.entries()) {
      const value = key === undefined ? item : valueAt(item, [key])
      const path = key === undefined ? [index] : [index, key]
      if (seen.has(value) && value !== undefined)
        context.addIssue({ code: 'custom', path, params: { expected: 'is a duplicate: remove one' } })
      seen.add(value)
    }
  }
  return [check, { when: ({ value }) => Array.isArray(value) } satisfies When] as const
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, part) => (typeof found === 'object' && found !== null ? Reflect.get(found, part) : undefined), value)
}

export const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !/[\p{Cc}\p{Bidi_C}\u2028\u2029]/u.test(text), {
      params: { expected: 'must be one line of text without control characters' },
    })

/** Schema of a scope name. The error for an unknown name suggests the nearest known one. */
export const scopeName = (known: readonly string[]) =>
  z
    .string()
    .max(80)
    .refine((name) => known.includes(name), { params: { expected: 'is not a known scope', names: known } })

/** Schema of a client id. An id that looks like the URL of a client metadata document is invalid. */
export const clientId = z
  .string()
  .refine((id) => /^[A-Za-z0-9][A-Za-z0-9._-]{1,99}$/.test(id))
  .meta({
    title: 'a client id: 2 to 100 letters, digits, . _ or -',
  })
