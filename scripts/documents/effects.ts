import ts from 'typescript'
import { emailKinds } from '../../src/base/mail/emailKinds.ts'
import { auditEvents } from '../../src/database/tables/auditEvents.ts'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { declarations, findMember, memberOf, readSource, type SourcePlace } from './sources.ts'

/** The possible effects of the rules of an operation, in addition to the change of its row. */
export interface Effects {
  emails: ReadonlySet<string>
  /** Events of the audit trail other than that of the write itself. */
  audit: ReadonlySet<string>
  /** Changes of rows, as `type.action`; the action is `*` if it depends on the row. */
  changes: ReadonlySet<string>
  /** Tables that the rules write. */
  tables: ReadonlySet<string>
}

const writes = new Set(['insertInto', 'updateTable', 'deleteFrom'])
const records = new Set(['recordChange', 'recordChanges'])
/** Code that every operation shares, and code without effects. */
const shared = /^src\/(?:engine|base|gen)\//
const declared = declarations()

/**
 * Returns the effects of the rules of an operation: of the functions that its declaration calls, and of those that they call. A function is
 * followed whether or not a condition precedes its call, so these are the effects that are possible.
 */
export function effectsOf(operation: Operation): Effects {
  const place = declared.get(operation.resource.name)
  if (!place) throw new Error(`${operation.resource.name} is not declared in src/school/index.ts`)
  const effects = { emails: new Set<string>(), audit: new Set<string>(), changes: new Set<string>(), tables: new Set<string>() }
  const followed = new Set<string>()
  const rules = rulesIn({ file: place.file, node: place.declaration }, operation)
  follow(rules.file, rules.node)
  return effects

  function follow(file: string, start: ts.Node): void {
    const source = readSource(file)
    const visit = (node: ts.Node): void => {
      if (ts.isTypeNode(node)) return
      if (ts.isIdentifier(node) && !isNameOfMember(node)) use(node.text)
      if (ts.isStringLiteral(node) && Object.hasOwn(auditEvents, node.text)) effects.audit.add(node.text)
      if (ts.isCallExpression(node)) observe(node)
      if (ts.isPropertyAssignment(node) && node.initializer.kind !== ts.SyntaxKind.NullKeyword)
        for (const email of emailsLater[node.name.getText()] ?? []) effects.emails.add(email)
      ts.forEachChild(node, visit)
    }
    const use = (name: string): void => {
      const target = source.imported.get(name) ?? (source.declared.has(name) ? { file, name } : undefined)
      const key = target && `${target.file}#${target.name}`
      if (!target || key === undefined || followed.has(key) || shared.test(target.file)) return
      followed.add(key)
      const body = readSource(target.file).declared.get(target.name)
      if (body && !isResource(body)) follow(target.file, body)
    }
    visit(start)
  }

  function followNews(announced: ts.Expression): void {
    const kind = memberOf(announced, 'kind')
    const finder = kind && ts.isStringLiteral(kind) ? findMember(newsFinders, kind.text) : undefined
    if (!finder) throw new Error(`${announced.getText()} must name the kind of its news`)
    follow(finder.file, finder.node)
  }

  function observe({ expression, arguments: given }: ts.CallExpression): void {
    const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
    const [first, second] = given
    if (writes.has(name) && first && ts.isStringLiteral(first)) effects.tables.add(first.text)
    if (name === 'copyRows' && second && ts.isStringLiteral(second)) effects.tables.add(second.text)
    if (records.has(name) && second) for (const change of changesIn(second)) effects.changes.add(change)
    if (name === 'announce' && second) followNews(second)
    // The name of an e-mail can also be that of a figure or a status.
    if (!/send|mail|notify|newsFor/i.test(name)) return
    for (const text of given.flatMap(textsIn)) if (Object.hasOwn(emailKinds, text)) effects.emails.add(text)
  }
}

/** Columns by which rules let a job send e-mails. */
const emailsLater: Readonly<Record<string, readonly (keyof typeof emailKinds)[]>> = { move_notice_at: ['event_moved'] }

/** Where the e-mails about each kind of news are found. */
const newsFinders: SourcePlace = { file: 'src/school/notifications/allNews.ts', node: ts.factory.createIdentifier('finders') }

/** Returns the part of a declaration with the rules of an operation. */
function rulesIn(declaration: SourcePlace, operation: Operation): SourcePlace {
  const [group, names]: [string, string[]] =
    operation.kind === 'action'
      ? ['actions', keysOf(operation.resource.actions, operation.rules)]
      : operation.kind === 'collection'
        ? operation.name === 'bulk' && !operation.resource.collectionActions.bulk
          ? ['operations', ['bulk']]
          : ['collectionActions', [operation.name]]
        : operation.kind === 'read'
          ? ['reads', keysOf(operation.resource.reads, operation.rules)]
          : operation.kind === 'collectionRead'
            ? ['collectionReads', keysOf(operation.resource.collectionReads, operation.rules)]
            : ['operations', [operation.kind]]
  const all = findMember(declaration, group)
  return names.map((name) => findMember(all, name)).find((one) => one !== undefined) ?? all ?? declaration
}

const keysOf = (record: Readonly<Record<string, unknown>>, rules: unknown): string[] =>
  Object.keys(record).filter((key) => record[key] === rules)

const isResource = (body: ts.Node): boolean => ts.isCallExpression(body) && body.expression.getText() === 'defineResource'

const isNameOfMember = ({ parent, pos }: ts.Identifier): boolean =>
  (ts.isPropertyAccessExpression(parent) && parent.name.pos === pos) || (ts.isPropertyAssignment(parent) && parent.name.pos === pos)

/** Returns the string literals of an argument: one, or one for each branch of a condition. */
function textsIn(argument: ts.Expression): string[] {
  if (ts.isConditionalExpression(argument)) return [...textsIn(argument.whenTrue), ...textsIn(argument.whenFalse)]
  return ts.isStringLiteral(argument) ? [argument.text] : []
}

function changesIn(argument: ts.Expression): string[] {
  const [type, action] = [memberOf(argument, 'type'), memberOf(argument, 'action')]
  if (!type || !ts.isStringLiteral(type)) return []
  const actions = action && ts.isExpression(action) ? textsIn(action) : []
  return (actions.length > 0 ? actions : ['*']).map((one) => `${type.text}.${one}`)
}
