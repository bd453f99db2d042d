import {
  AliasNode,
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  DeleteQueryNode,
  IdentifierNode,
  InsertQueryNode,
  type JoinNode,
  OnNode,
  type OperationNode,
  OperatorNode,
  ParensNode,
  RawNode,
  ReferenceNode,
  SelectQueryNode,
  TableNode,
  UpdateQueryNode,
  ValueNode,
  WhereNode,
  type WithNode,
} from 'kysely'
import { namesSchool, withSchool } from './schoolInserts.ts'
import type { SchoolParameter } from './schoolParameter.ts'

/** The tables whose rows belong to no school. */
const tablesWithoutSchool: ReadonlySet<string> = new Set(['change_epoch', 'installation', 'job_run'])

/** Nodes that contain no table to restrict: names, values, and references to tables that the statement restricts where it reads them. */
const leaves: ReadonlySet<OperationNode['kind']> = new Set([
  'ColumnNode',
  'DataTypeNode',
  'IdentifierNode',
  'OperatorNode',
  'PrimitiveValueListNode',
  'ReferenceNode',
  'SchemableIdentifierNode',
  'SelectAllNode',
  'SelectModifierNode',
  'TableNode',
  'ValueNode',
])

/** The statements that are restricted already, with their school: a subquery that is built separately is visited twice. */
const restricted = new WeakMap<OperationNode, SchoolParameter>()

/**
 * Returns the statement with the school in the condition of every table, and in every inserted row. Parts that name no table stay the same
 * objects.
 * @throws Error for a statement that cannot be restricted
 */
export function restrictToSchool<Node extends OperationNode>(root: Node, school: SchoolParameter): Node {
  /** The common table expressions in scope: a table name that matches one refers to it, and not to a table. */
  const expressions: string[] = []
  return visit(root)

  function visit<Part extends OperationNode>(node: Part): Part {
    if (leaves.has(node.kind)) return node
    const known = restricted.get(node)
    if (known?.id === school.id) return node
    if (known) throw new Error('a statement of one school contains a statement of another one')
    return visitKind(node) as Part
  }

  function visitKind(node: OperationNode): OperationNode {
    if (SelectQueryNode.is(node)) return statement(node, select)
    if (UpdateQueryNode.is(node)) return statement(node, update)
    if (DeleteQueryNode.is(node)) return statement(node, remove)
    if (InsertQueryNode.is(node)) return statement(node, insert)
    if (BinaryOperationNode.is(node)) return withParameter(visitParts(node))
    if (node.kind === 'MergeQueryNode') throw unrestrictable('MERGE')
    if (RawNode.is(node) && node.parameters.some((one) => TableNode.is(one))) throw unrestrictable('a table in text')
    return visitParts(node)
  }

  /** Visits every part of a node, and copies the node only if a part changes. */
  function visitParts<Part extends OperationNode>(node: Part, except?: keyof Part): Part {
    const changed: Record<string, unknown> = {}
    let isChanged = false
    for (const [name, part] of Object.entries(node)) {
      if (typeof part !== 'object' || part === null || name === except) continue
      const visited = Array.isArray(part) ? visitList(part) : isNode(part) ? visit(part) : part
      if (visited === part) continue
      changed[name] = visited
      isChanged = true
    }
    return isChanged ? { ...node, ...changed } : node
  }

  function visitList<Item>(list: readonly Item[], visitOne: (node: Item & OperationNode) => Item = visit): readonly Item[] {
    const visited = list.map((one) => (isNode(one) ? visitOne(one) : one))
    return visited.some((one, index) => one !== list[index]) ? visited : list
  }

  function statement<Statement extends OperationNode & { with?: WithNode }>(
    node: Statement,
    restrict: (node: Statement) => Statement,
  ): Statement {
    const outer = expressions.length
    const named = node.with ? { ...node, with: commonTables(node.with) } : node
    const result = restrict(named)
    expressions.length = outer
    restricted.set(result, school)
    return result
  }

  /** A common table expression can name earlier ones, and itself if it is recursive. */
  function commonTables(node: WithNode): WithNode {
    const nameOf = ({ name }: WithNode['expressions'][number]): string => name.table.table.identifier.name
    if (node.recursive) expressions.push(...node.expressions.map(nameOf))
    const visited = node.expressions.map((one) => {
      const result = visitParts(one, 'name')
      if (!node.recursive) expressions.push(nameOf(one))
      return result
    })
    return { ...node, expressions: visited }
  }

  function select(node: SelectQueryNode): SelectQueryNode {
    const { from, joins, where, with: expression, ...rest } = node
    const tables = [...(from?.froms ?? []), ...crossJoined(joins)]
    return {
      ...visitParts(rest),
      ...(expression && { with: expression }),
      ...(from && { from: { ...from, froms: visitTables(from.froms) } }),
      ...(joins && { joins: joins.map(join) }),
      ...whereOf(where, tables),
    }
  }

  function update(node: UpdateQueryNode): UpdateQueryNode {
    const { table, from, joins, where, with: expression, ...rest } = node
    if (table === undefined || node.updates?.some(({ column }) => namesSchool(column)))
      throw new Error('an update cannot move rows to another school')
    return {
      ...visitParts(rest),
      ...(expression && { with: expression }),
      table: visitTable(table),
      ...(from && { from: { ...from, froms: visitTables(from.froms) } }),
      ...(joins && { joins: joins.map(join) }),
      ...whereOf(where, [table, ...(from?.froms ?? []), ...crossJoined(joins)]),
    }
  }

  function remove(node: DeleteQueryNode): DeleteQueryNode {
    const { from, using, joins, where, with: expression, ...rest } = node
    return {
      ...visitParts(rest),
      ...(expression && { with: expression }),
      from: { ...from, froms: visitTables(from.froms) },
      ...(using && { using: { ...using, tables: visitTables(using.tables) } }),
      ...(joins && { joins: joins.map(join) }),
      ...whereOf(where, [...from.froms, ...(using?.tables ?? []), ...crossJoined(joins)]),
    }
  }

  function insert(node: InsertQueryNode): InsertQueryNode {
    const { into, with: expression, ...rest } = node
    const table = into?.table.identifier.name
    if (into === undefined || table === 'school' || tablesWithoutSchool.has(String(table)))
      throw new Error(`a handle of one school cannot insert into ${table}`)
    return withSchool({ ...visitParts(rest), into, ...(expression && { with: expression }) }, school)
  }

  function join(node: JoinNode): JoinNode {
    const visited = { ...visitParts(node, 'table'), table: visitTable(node.table) }
    const condition = conditionOf(node.table)
    if (node.joinType === 'RightJoin' || node.joinType === 'FullJoin')
      throw new Error(`a handle of one school cannot restrict a ${node.joinType}: use a left join`)
    return condition && visited.on ? { ...visited, on: OnNode.create(AndNode.create(written(visited.on.on), condition)) } : visited
  }

  /** Returns the tables of joins without a condition. */
  function crossJoined(joins: readonly JoinNode[] | undefined): OperationNode[] {
    return (joins ?? []).flatMap(({ on, table }) => (on ? [] : [table]))
  }

  function whereOf(where: WhereNode | undefined, tables: readonly OperationNode[]): { where?: WhereNode } {
    const conditions = tables.flatMap((table) => conditionOf(table) ?? [])
    const condition = all([...(where ? [written(visit(where.where))] : []), ...conditions])
    return condition ? { where: WhereNode.create(condition) } : {}
  }

  /** Returns the condition of a table; undefined for a subquery, a function or a common table expression. */
  function conditionOf(node: OperationNode): BinaryOperationNode | undefined {
    const table = AliasNode.is(node) ? node.node : node
    if (!TableNode.is(table)) return undefined
    const name = table.table.identifier.name
    if (expressions.includes(name) || tablesWithoutSchool.has(name)) return undefined
    const alias = AliasNode.is(node) ? aliasOf(node) : name
    const column = ColumnNode.create(name === 'school' ? 'id' : 'school_id')
    return BinaryOperationNode.create(
      ReferenceNode.create(column, TableNode.create(alias)),
      OperatorNode.create('='),
      ValueNode.create(school),
    )
  }

  function visitTables(tables: readonly OperationNode[]): readonly OperationNode[] {
    return visitList(tables, visitTable)
  }

  function visitTable(node: OperationNode): OperationNode {
    const table = AliasNode.is(node) ? node.node : node
    return TableNode.is(table) ? node : visit(node)
  }

  /** Compares with the parameter of the school where a statement compares with its id, so that both are the same to the planner. */
  function withParameter(node: BinaryOperationNode): BinaryOperationNode {
    const { leftOperand, rightOperand } = node
    if (!ReferenceNode.is(leftOperand) || !ValueNode.is(rightOperand) || rightOperand.value !== school.id) return node
    return { ...node, rightOperand: ValueNode.create(school) }
  }
}

/** A condition of the statement in parentheses: as text it can contain OR. */
const written = (condition: OperationNode): OperationNode => (ParensNode.is(condition) ? condition : ParensNode.create(condition))

const all = (conditions: readonly OperationNode[]): OperationNode | undefined =>
  conditions.length === 0 ? undefined : conditions.reduce((left, right) => AndNode.create(left, right))

const unrestrictable = (what: string): Error =>
  new Error(`a handle of one school cannot restrict ${what}: select from the table, or join it`)

function aliasOf({ alias }: AliasNode): string {
  if (!IdentifierNode.is(alias)) throw new Error('a handle of one school needs a plain alias for a table')
  return alias.name
}

const isNode = (value: unknown): value is OperationNode =>
  typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string'
