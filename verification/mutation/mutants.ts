import ts from 'typescript'
import { isAddedByHandle, isWithoutEffect } from './withoutEffect.ts'

const { SyntaxKind } = ts

/** One small change of the source. */
export interface Mutant {
  file: string
  line: number
  column: number
  start: number
  end: number
  replacement: string
  what: string
}

/** Returns every mutant of a file with this text, in the order of the source. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const mutants: Mutant[] = []
  const visit = (node: ts.Node): void => {
    if (isWithoutEffect(node)) return
    for (const [part, replacement, what] of changesOf(node)) {
      const start = part.getStart()
      const { line, character } = source.getLineAndCharacterOfPosition(start)
      mutants.push({ file, line: line + 1, column: character + 1, start, end: part.end, replacement, what })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return mutants
}

type Change = [node: ts.Node, replacement: string, what: string]

const operators = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
  [SyntaxKind.PlusToken, '-'],
  [SyntaxKind.MinusToken, '+'],
])

function changesOf(node: ts.Node): Change[] {
  if (ts.isBinaryExpression(node)) return changedOperator(node)
  if (ts.isIfStatement(node)) return negated(node.expression)
  if (ts.isConditionalExpression(node)) return negated(node.condition)
  if (ts.isExpressionStatement(node) && isCall(node.expression)) return [[node, ';', `removed: ${shortened(node)}`]]
  if (node.kind === SyntaxKind.TrueKeyword) return [[node, 'false', 'true became false']]
  if (node.kind === SyntaxKind.FalseKeyword) return [[node, 'true', 'false became true']]
  return ts.isCallExpression(node) ? withoutCondition(node) : []
}

function changedOperator({ operatorToken, left, right }: ts.BinaryExpression): Change[] {
  const other = operators.get(operatorToken.kind)
  const isText = [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side))
  if (other === undefined || (isText && operatorToken.kind === SyntaxKind.PlusToken)) return []
  return [[operatorToken, other, `${operatorToken.getText()} became ${other}`]]
}

/** Negates a condition, except an equation: its operator is changed already, which is the same mutant. */
function negated(condition: ts.Expression): Change[] {
  if (ts.isBinaryExpression(condition) && /^[!=]==$/.test(condition.operatorToken.getText())) return []
  return [[condition, `!(${condition.getText()})`, `negated: ${shortened(condition)}`]]
}

const isCall = (expression: ts.Expression): boolean =>
  ts.isCallExpression(expression) || (ts.isAwaitExpression(expression) && ts.isCallExpression(expression.expression))

/** Returns mutants of a query without one of its conditions. */
function withoutCondition(call: ts.CallExpression): Change[] {
  const { expression: access } = call
  if (!ts.isPropertyAccessExpression(access) || !/^(?:where|whereRef|andWhere)$/.test(access.name.text)) return []
  if (isAddedByHandle(call)) return []
  return [[call, access.expression.getText(), `removed: .${access.name.text}(${call.arguments.map(shortened).join(', ')})`]]
}

const shortened = (node: ts.Node): string => node.getText().replaceAll(/\s+/g, ' ').slice(0, 70)
