import { nearest } from '../base/text/nearest.ts'
import type { ConfigIssue } from './configErrors.ts'
import { variables } from './environment.ts'

/** Variables of earlier releases, and what applies instead. */
const removed: Readonly<Record<string, string>> = {
  DATABASE_READ_URL: 'no longer exists and is ignored: visitors read from DATABASE_URL. Remove it',
  DATABASE_READ_URL_FILE: 'no longer exists and is ignored: visitors read from DATABASE_URL. Remove it',
}

const plainName = (name: string): string => name.replaceAll(/[^a-z0-9]/gi, '').toUpperCase()

/**
 * Returns a warning for every variable of an earlier release, and for every variable whose name is probably a misspelt one of the service.
 * A misspelt variable is not reported if the one that it resembles is set: other programs have similar names. Never contains a value.
 */
export function ignoredVariables(given: Record<string, string | undefined>): ConfigIssue[] {
  const known = Object.keys(variables)
  const missing = known.filter((name) => !given[name] && name.length >= leastLetters)
  return Object.entries(given).flatMap(([name, value]): ConfigIssue[] => {
    if (!value || known.includes(name) || name.length < leastLetters) return []
    const expected = removed[name]
    if (expected !== undefined) return [{ file: 'environment', key: name, expected }]
    const plain = plainName(name)
    const meant = missing.find((candidate) => plainName(candidate) === plain) ?? nearest(name, missing, name.length < 8 ? 1 : 2)
    return meant === undefined
      ? []
      : [{ file: 'environment', key: name, expected: 'is not a known variable and is ignored', nearest: meant }]
  })
}

/** Shorter names, such as PORT, resemble those of too many other programs. */
const leastLetters = 6
