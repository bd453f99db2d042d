import { createHash } from 'node:crypto'
import { createCaches } from '../../base/process/caches.ts'

/** How many statements have a name, and how many of them a connection keeps a plan of. The least recently used ones are forgotten. */
export const maxNames = 400
/** How many texts are counted until they are named. */
const maxCandidates = 2000
/** Statements that PostgreSQL plans. */
const nameable = /^\s*(select|insert|update|delete|with)\b/i
/** Lists and rows of values: each number of values is another text, so naming them would use up the names. */
const dependsOnCount = /\bin \(\$\d+(?:, \$\d+){4,}\)|\), \(\$\d+/i
/** The search of a text: its plan depends on how many rows have the text. */
const dependsOnText = /\blike lower\(\$\d+\)/i
/** All columns of a table: a plan that is kept would fail as soon as a migration adds one. Columns of a subquery are named inside of it. */
const namesNoColumns = /\breturning (?:"?\w+"?\.)?\*|\bselect (?:"?\w+"?\.)?\*(?! from \()/i

/**
 * Names for the texts of statements. A named statement is parsed once for each connection, and planned a few times instead of at every
 * run: for the lists of the API that is most of what the database does. A text is named when it is run the second time, so that
 * statements of rare shapes do not use up the names.
 */
export interface StatementNames {
  nameOf(text: string): string | undefined
}

/** Returns the names of one process: all of its connections use the same. */
export function createStatementNames(caches = createCaches()): StatementNames {
  const names = caches.create<string>('statement_names')
  const candidates = new Set<string>()
  return {
    nameOf(text) {
      const name = names.get(text)
      if (name !== undefined) return name
      if (!candidates.delete(text)) {
        if (candidates.size >= maxCandidates) candidates.clear()
        if (nameable.test(text) && ![dependsOnCount, dependsOnText, namesNoColumns].some((one) => one.test(text))) candidates.add(text)
        return undefined
      }
      // Two texts never share a name: 96 bits of SHA-256.
      const newName = `s${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`
      names.set(text, newName)
      return newName
    },
  }
}
