import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { parse, readModules } from './modules.ts'

/**
 * Outside of the database, the tokens, the daily figures and the expressions that the queries of a feature share, queries are built with
 * Kysely, so that the compiler checks tables and columns.
 */
const untyped = /^src\/(?:database|school\/analytics\/rollups|identity\/tokens)\/|Expressions\.ts$/

const statement = /\b(?:SELECT\b[\s\S]*\bFROM|INSERT\s+INTO|UPDATE\b[\s\S]*\bSET|DELETE\s+FROM)\b/

/** Names of columns that are words of SQL or aliases in templates, too. */
const sqlWords: ReadonlySet<string> = new Set(['text', 'days', 'id', 'result', 'year'])

/** A place that the compiler cannot compare with the tables. */
export interface UntypedPlace {
  /** `file:line`. */
  place: string
  /** Describes the problem and the fix. */
  problem: string
}

/** Finds SQL statements that are written as text, and tables and columns that are named in the text of an `sql` template. */
export function untypedPlaces(): UntypedPlace[] {
  const columns = columnNames()
  const typed = readModules().filter(({ path }) => !untyped.test(path))
  return typed.flatMap((module) => placesIn(parse(module), columns))
}

/** Returns the names of all generated tables and their columns. */
function columnNames(): ReadonlySet<string> {
  const tables = readFileSync(resolve(import.meta.dirname, '../src/gen/kysely/tables.ts'), 'utf8')
  const names = new Set([...tables.matchAll(/^ {4}(\w+):/gm)].map(([, name = '']) => name))
  if (names.size === 0) throw new Error('src/gen/kysely/tables.ts has no columns: run npm run generate')
  return names.difference(sqlWords)
}

function placesIn(file: ts.SourceFile, columns: ReadonlySet<string>): UntypedPlace[] {
  const places = new Map<number, string>()
  const visit = (node: ts.Node): void => {
    const problem = problemOf(node)
    if (problem === undefined) ts.forEachChild(node, visit)
    else places.set(file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, problem)
  }
  visit(file)
  return [...places].map(([line, problem]) => ({ place: `${file.fileName}:${line}`, problem }))

  function problemOf(node: ts.Node): string | undefined {
    if (isQueryCall(node) || isStatement(node)) return 'a statement is written as text: build it with Kysely'
    const column = ts.isTaggedTemplateExpression(node) ? columnIn(node) : undefined
    return column && `${column} is written as text in a template: insert a reference, such as \${ref('${column}')}`
  }

  function isStatement(node: ts.Node): boolean {
    if (ts.isStringLiteralLike(node)) return statement.test(node.text)
    return ts.isTemplateExpression(node) && statement.test(node.getText(file))
  }

  /** Returns the first word of an `sql` template that is a column, neither an alias nor a part of a literal. */
  function columnIn({ tag, template }: ts.TaggedTemplateExpression): string | undefined {
    if (!ts.isIdentifier(tag) || tag.text !== 'sql') return undefined
    const parts = ts.isTemplateExpression(template) ? [template.head, ...template.templateSpans.map(({ literal }) => literal)] : [template]
    const text = parts.map((part) => part.text).join(' \0 ')
    const words = text.replace(/'[^']*'|\bAS \w+/gi, ' ').match(/\b[a-z]\w*\b(?!\s*(?:\(|=>))/g)
    return words?.find((word) => columns.has(word))
  }
}

/** True for `sql.query('…')`. */
function isQueryCall(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  const [text] = node.arguments
  return node.expression.name.text === 'query' && text !== undefined && (ts.isStringLiteralLike(text) || ts.isTemplateExpression(text))
}
