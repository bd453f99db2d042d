/**
 * Checks that no module of src keeps state: state belongs to an object that `createApp` or a command creates, so that two
 * services in one process are independent.
 *
 *   node scripts/moduleState.ts    exits with 1 and lists every variable at the top of a module that code changes later
 */
import { existsSync } from 'node:fs'
import ts from 'typescript'
import { fail, type Module, parse, readModules } from './modules.ts'

/** Variables that may change, by file and name, each with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'src/database/tables/actors.ts#actors': 'Marks handles. Each mark lives as long as its handle, and handles belong to one service.',
  'src/database/school/inSchool.ts#changesOfHandles': 'Marks handles with a count. Each mark lives as long as its handle, a transaction.',
  'src/database/school/schoolPredicates.ts#restricted':
    'Marks parts of statements. Each mark lives as long as its statement, and names the school.',
}

const changing = new Set(
  'set add delete clear push pop shift unshift splice sort reverse fill copyWithin getOrInsert getOrInsertComputed'.split(' '),
)

interface Finding {
  file: string
  name: string
  line: number
  what: string
}

const modules = readModules()
const found = modules.flatMap(stateOf)
const keyOf = ({ file, name }: Finding): string => `${file}#${name}`
const forbidden = found.filter((finding) => !(keyOf(finding) in allowed))
const outdated = Object.keys(allowed).filter(
  (key) => existsSync(key.replace(/#.*/, '')) && !found.some((finding) => keyOf(finding) === key),
)
if (forbidden.length > 0) {
  const lines = forbidden.map(({ file, name, line, what }) => `${file}:${line}  ${name} ${what}`)
  fail(`${lines.join('\n')}\n\nPass state as an argument, or add the variable with a reason to scripts/moduleState.ts.`)
}
if (outdated.length > 0) fail(`allowed in scripts/moduleState.ts and not found: ${outdated.join(', ')}`)
process.stdout.write(`${modules.length} modules without state, ${Object.keys(allowed).length} exceptions\n`)

function stateOf(module: Module): Finding[] {
  const source = parse(module)
  const constants = new Set<string>()
  const findings = new Map<string, Finding>()
  const note = (name: string, node: ts.Node, what: string): void => {
    if (!findings.has(name))
      findings.set(name, { file: module.path, name, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, what })
  }
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const { name } of statement.declarationList.declarations) {
      if (!ts.isIdentifier(name)) continue
      if (statement.declarationList.flags & ts.NodeFlags.Const) constants.add(name.text)
      else note(name.text, name, 'can be assigned')
    }
  }
  const visit = (node: ts.Node, depth: number): void => {
    const target = depth > 0 ? changedBy(node) : undefined
    if (target && ts.isIdentifier(target) && constants.has(target.text) && !isShadowed(target))
      note(target.text, node, 'is changed by a function')
    ts.forEachChild(node, (child) => visit(child, depth + (ts.isFunctionLike(node) ? 1 : 0)))
  }
  visit(source, 0)
  return [...findings.values()]
}

/** Returns the object that an expression changes: by a method, an assignment or `delete`. */
function changedBy(node: ts.Node): ts.Expression | undefined {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && changing.has(node.expression.name.text))
    return node.expression.expression
  const place = ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind) ? node.left : operandOf(node)
  return place && (ts.isPropertyAccessExpression(place) || ts.isElementAccessExpression(place)) ? place.expression : undefined
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment
}

function operandOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isDeleteExpression(node)) return node.expression
  if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) return undefined
  return node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken ? node.operand : undefined
}

/** True if a function around the name declares it: as a parameter or as a variable of its body. */
function isShadowed(name: ts.Identifier): boolean {
  for (let scope: ts.Node = name; !ts.isSourceFile(scope); scope = scope.parent) {
    if (
      (ts.isFunctionLike(scope) || ts.isBlock(scope) || ts.isForOfStatement(scope) || ts.isForStatement(scope)) &&
      declares(scope, name.text)
    )
      return true
  }
  return false
}

function declares(scope: ts.Node, name: string): boolean {
  let isFound = false
  const visit = (node: ts.Node): void => {
    if ((ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)) && ts.isIdentifier(node.name))
      isFound ||= node.name.text === name
    if (node === scope || !ts.isFunctionLike(node)) ts.forEachChild(node, visit)
  }
  visit(scope)
  return isFound
}
