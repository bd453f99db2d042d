import ts from 'typescript'

/** Code whose changes no guarantee can detect. It is neither changed itself nor searched for places to change. */
export function isWithoutEffect(node: ts.Node): boolean {
  return isType(node) || isSpanFile(node) || isReport(node) || isErrorText(node) || isExample(node) || isCacheWrite(node)
}

/** Types and imports: Node removes them. */
const isType = (node: ts.Node): boolean => ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)

/** Files that only name spans of a trace, or count for the metrics. */
const isSpanFile = (node: ts.Node): boolean => ts.isSourceFile(node) && /(?:Spans|[mM]etrics)\.ts$/.test(node.fileName)

/** A call that writes to the log, or lets the process end in spite of a timer. */
const isReport = (node: ts.Node): boolean =>
  ts.isCallExpression(node)
    ? /(?:^|[.#])log\??\.(?:trace|debug|info|warn|error|fatal)$|\.unref$/.test(calleeOf(node))
    : ts.isExpressionStatement(node) && isReport(node.expression)

/** The arguments of an error: they choose its text. */
const isErrorText = (node: ts.Node): boolean =>
  (ts.isNewExpression(node) && /Error$/.test(node.expression.getText())) ||
  (ts.isPropertyAssignment(node) && /^(?:description|message)$/.test(node.name.getText()))

/** Examples in the documentation of a field. */
const isExample = (node: ts.Node): boolean => ts.isPropertyAssignment(node) && /^examples?$/.test(node.name.getText())

/** A statement that fills a cache: without it, the value is computed again. Reading and clearing the cache are changed. */
const isCacheWrite = (node: ts.Node): boolean =>
  ts.isExpressionStatement(node) && ts.isCallExpression(node.expression) && /(?:cache|cached|memo)\.set$/i.test(calleeOf(node.expression))

/** A condition on the school in a module whose handles belong to one school: the handle adds it to every table (decision 39). */
export function isAddedByHandle(call: ts.CallExpression): boolean {
  if (!/^src\/(?:school|engine|pages)\//.test(call.getSourceFile().fileName)) return false
  const [column, , value] = call.arguments.map((argument) => argument.getText())
  return /^'(?:\w+\.)?school_id'$/.test(column ?? '') || /^'(?:school\.)?id' (?:\w+\.)*school(?:Id|\.id)$/.test(`${column} ${value}`)
}

const calleeOf = ({ expression }: ts.CallExpression): string => expression.getText().replaceAll(/\s+/g, '')
