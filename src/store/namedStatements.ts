import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Client } from 'pg'
import { overrideQuery } from './overrideQuery.ts'

/** How many statements have a name, and how many of them a connection keeps a plan of. The least recently used ones are forgotten. */
const mostNames = 400
/** How many texts are counted until they are named. */
const mostCandidates = 2000
/** Statements that PostgreSQL plans. */
const nameable = /^\s*(select|insert|update|delete|with)\b/i
/** Lists and rows of values: each number of values is another text, so naming them would use up the names. */
const dependsOnCount = /\bin \(\$\d+(?:, \$\d+){4,}\)|\), \(\$\d+/i
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
export function createStatementNames(): StatementNames {
  const names = new LRUCache<string, string>({ max: mostNames })
  const candidates = new Set<string>()
  return {
    nameOf(text) {
      const name = names.get(text)
      if (name !== undefined) return name
      if (!candidates.delete(text)) {
        if (candidates.size >= mostCandidates) candidates.clear()
        if (nameable.test(text) && !dependsOnCount.test(text) && !namesNoColumns.test(text)) candidates.add(text)
        return undefined
      }
      // Two texts never share a name: 96 bits of SHA-256.
      const given = `s${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`
      names.set(text, given)
      return given
    },
  }
}

/** The parts of a connection of `pg` that know which statements its server has prepared. */
interface PreparedStatements {
  connection: { close(statement: { type: 'S'; name: string }): void; parsedStatements: Record<string, string> }
}

/** Returns the class of a connection that names the statements that run on it. */
export function namingClient(base: typeof Client, names: StatementNames): typeof Client {
  class NamingClient extends base {
    /** The names that the server has prepared, in the order of their use. */
    readonly prepared = new LRUCache<string, true>({
      max: mostNames,
      // The message Close of the protocol is DEALLOCATE for a name, also through PgBouncer, which gives statements other names. It is sent
      // before the statement that takes the place, without waiting for an answer.
      dispose: (_, name) => {
        const { connection } = this as unknown as PreparedStatements
        delete connection.parsedStatements[name]
        connection.close({ type: 'S', name })
      },
    })
  }
  const nameOn = (client: Client, text: string): string | undefined => {
    const name = names.nameOf(text)
    if (name !== undefined) (client as NamingClient).prepared.set(name, true, { noDisposeOnSet: true })
    return name
  }
  overrideQuery(
    NamingClient,
    (send) =>
      function query(statement, values, ...rest) {
        if (typeof statement === 'string' && Array.isArray(values)) {
          const name = nameOn(this, statement)
          if (name !== undefined) return send.call(this, { name, text: statement, values }, ...rest)
        } else if (isUnnamed(statement)) {
          const name = nameOn(this, statement.text)
          if (name !== undefined) return send.call(this, { ...statement, name }, values, ...rest)
        }
        return send.call(this, statement, values, ...rest)
      },
  )
  return NamingClient
}

const isUnnamed = (statement: unknown): statement is { text: string; values: unknown[] } =>
  typeof statement === 'object' &&
  statement !== null &&
  !('submit' in statement) &&
  !('name' in statement && statement.name !== undefined) &&
  'text' in statement &&
  typeof statement.text === 'string' &&
  'values' in statement &&
  Array.isArray(statement.values)
