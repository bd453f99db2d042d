import { allFailures } from './allFailures.ts'
import type { Failure } from './failure.ts'

/** The failures that the values of `--only` select, and the texts that are in no name. */
export interface Choice {
  failures: readonly Failure[]
  unknown: readonly string[]
}

/**
 * Returns the failures whose names contain one of the texts, without regard to case. A value may have several texts with commas between
 * them. Names have commas too, so a value is divided only where its parts together are in no name. No value selects every failure.
 */
export function chooseFailures(values: readonly string[]): Choice {
  const texts = values.flatMap(textsIn)
  const unknown = texts.filter((text) => !isKnown(text))
  const failures = values.length === 0 ? allFailures : allFailures.filter(({ name }) => texts.some((text) => contains(name, text)))
  return { failures, unknown }
}

function textsIn(value: string): string[] {
  const parts = value.split(',')
  for (let count = parts.length; count > 0; count -= 1) {
    const text = parts.slice(0, count).join().trim()
    if (!isKnown(text) && count > 1) continue
    return count === parts.length ? [text] : [text, ...textsIn(parts.slice(count).join())]
  }
  return []
}

const isKnown = (text: string): boolean => allFailures.some(({ name }) => contains(name, text))
const contains = (name: string, text: string): boolean => text !== '' && plain(name).includes(plain(text))
const plain = (text: string): string => text.toLowerCase().replaceAll(/\s*,\s*/g, ',')
