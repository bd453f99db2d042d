import {
  AliasNode,
  CastNode,
  ColumnNode,
  DataTypeNode,
  IdentifierNode,
  type InsertQueryNode,
  type OnConflictNode,
  type OperationNode,
  PrimitiveValueListNode,
  ReferenceNode,
  SelectionNode,
  SelectQueryNode,
  type SetOperationNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely'
import type { SchoolParameter } from './schoolParameter.ts'

const schoolColumn = 'school_id'

/** Returns true if the column is the one that contains the school. */
export const namesSchool = (node: OperationNode): boolean =>
  ReferenceNode.is(node) ? namesSchool(node.column) : ColumnNode.is(node) && node.column.name === schoolColumn

/**
 * Returns an insert whose rows belong to the school, and whose conflicts are those within the school.
 * @throws Error if a row names another school
 */
export function withSchool(node: InsertQueryNode, school: SchoolParameter): InsertQueryNode {
  const { columns, values, onConflict } = node
  if (!columns || !values) throw new Error('a handle of one school needs the columns of an insert')
  const index = columns.findIndex(namesSchool)
  return {
    ...node,
    columns: index < 0 ? [...columns, ColumnNode.create(schoolColumn)] : columns,
    values: rowsOf(values, index < 0 ? columns.length : index, school),
    ...(onConflict && { onConflict: withinSchool(onConflict) }),
  }
}

function rowsOf(values: OperationNode, index: number, school: SchoolParameter): OperationNode {
  if (SelectQueryNode.is(values)) return selected(values, index, school)
  if (!ValuesNode.is(values)) throw new Error(`a handle of one school cannot insert ${values.kind}`)
  return ValuesNode.create(
    values.values.map((row) =>
      PrimitiveValueListNode.is(row)
        ? PrimitiveValueListNode.create(placed(row.values, school, (value) => value))
        : ValueListNode.create(placed(row.values, ValueNode.create(school), writtenValue)),
    ),
  )

  /** Returns the list with the school at the index. A list that names a school there must name this one. */
  function placed<Item>(list: readonly Item[], item: Item, read: (item: Item) => unknown): Item[] {
    const there = list[index]
    const written = there === undefined ? undefined : read(there)
    if (written !== undefined && written !== school.id) throw new Error('a handle of one school cannot insert a row of another school')
    return list.toSpliced(index, 1, item)
  }
}

/** Returns the value that is written; undefined if the row leaves the column out. */
function writtenValue(node: OperationNode): unknown {
  if (node.kind === 'DefaultInsertValueNode') return undefined
  return ValueNode.is(node) ? node.value : node
}

function selected(node: SelectQueryNode, index: number, school: SchoolParameter): SelectQueryNode {
  const { selections = [], setOperations } = node
  if (selections.some(({ selection }) => selectsAll(selection))) throw new Error('a handle of one school cannot insert selectAll()')
  const value = CastNode.create(ValueNode.create(school), DataTypeNode.create('uuid'))
  const column = SelectionNode.create(AliasNode.create(value, IdentifierNode.create(schoolColumn)))
  return {
    ...node,
    selections: selections.toSpliced(index, 1, column),
    ...(setOperations && { setOperations: setOperations.map((one) => inArm(one, index, school)) }),
  }
}

const selectsAll = (node: OperationNode): boolean => node.kind === 'SelectAllNode' || (ReferenceNode.is(node) && selectsAll(node.column))

function inArm(operation: SetOperationNode, index: number, school: SchoolParameter): SetOperationNode {
  if (!SelectQueryNode.is(operation.expression)) throw new Error('a handle of one school needs a plain select in a set operation')
  return { ...operation, expression: selected(operation.expression, index, school) }
}

/** Every unique key of a school begins with the school, so a conflict target does, too. */
function withinSchool(node: OnConflictNode): OnConflictNode {
  const { columns, constraint, indexExpression, updates } = node
  if (constraint || indexExpression) throw new Error('a handle of one school needs the columns of a conflict')
  if (updates?.some(({ column }) => namesSchool(column))) throw new Error('a conflict cannot move a row to another school')
  if (!columns || columns.some(namesSchool)) return node
  return { ...node, columns: [ColumnNode.create(schoolColumn), ...columns] }
}
