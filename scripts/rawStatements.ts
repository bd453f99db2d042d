import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** The modules whose queries are built with Kysely, so that the compiler checks tables and columns. */
const typedFolders = ['src/domain', 'src/resources']

const statement = /\b(?:SELECT\b[\s\S]*\bFROM|INSERT\s+INTO|UPDATE\b[\s\S]*\bSET|DELETE\s+FROM)\b/

/** Returns `file:line` of every SQL statement that is written as text in a module whose queries are built with Kysely. */
export function rawStatements(): string[] {
  return typedFolders.flatMap((folder) =>
    globSync(`${folder}/**/*.ts`).flatMap((path) => {
      const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
      return [...linesOf(file)].map((line) => `${path}:${line}`)
    }),
  )
}

function linesOf(file: ts.SourceFile): Set<number> {
  const lines = new Set<number>()
  const visit = (node: ts.Node): void => {
    if (isQueryCall(node) || isStatement(node)) {
      lines.add(file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1)
    } else ts.forEachChild(node, visit)
  }
  visit(file)
  return lines

  function isStatement(node: ts.Node): boolean {
    if (ts.isStringLiteralLike(node)) return statement.test(node.text)
    return ts.isTemplateExpression(node) && statement.test(node.getText(file))
  }
}

/** True for `sql.query('…')`. */
function isQueryCall(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  const [text] = node.arguments
  return node.expression.name.text === 'query' && text !== undefined && (ts.isStringLiteralLike(text) || ts.isTemplateExpression(text))
}
