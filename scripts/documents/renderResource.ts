import { z } from 'zod'
import { audiences } from '../../src/base/caller.ts'
import { writeEvent } from '../../src/database/tables/auditEvents.ts'
import { changeActionOf } from '../../src/database/tables/changeActions.ts'
import { everything, nothing } from '../../src/engine/declare/expressions.ts'
import { parameterName } from '../../src/engine/declare/filters.ts'
import { ifMatchText, type Operation } from '../../src/engine/declare/operations.ts'
import type { Resource } from '../../src/engine/declare/resource.ts'
import { type Sort, sortColumns } from '../../src/engine/declare/sorts.ts'
import {
  isArray,
  isNullable,
  isObjectSchema,
  isOnDemand,
  isRecord,
  isUnion,
  membersOf,
  unwrapped,
  viewOf,
} from '../../src/engine/declare/views.ts'
import { effectsOf } from './effects.ts'
import { code, codes, markdownTable, paragraphs } from './markdown.ts'
import type { Table } from './migratedDatabase.ts'
import { withoutParentheses } from './renderDatabase.ts'
import { sortedTables } from './sortedTables.ts'

const viewers = { public: 'everyone', own: 'own', staff: 'staff' } as const

/** Returns docs/resources/<name>.md: every rule of a resource that its declaration and the database know. */
export function renderResource(resource: Resource, operations: readonly Operation[], table: Table, hasStatements = true): string {
  const changing = operations.map(effectRow).filter((row) => row !== undefined)
  return paragraphs([
    '<!-- Printed by npm run docs from src/school, the rules that they call, and prisma/migrations. -->',
    `# ${resource.name}`,
    resource.about || undefined,
    `Table ${code(resource.table)}, scopes of ${code(resource.area.name)}${resource.feature === undefined ? '' : `, only for staff while the school has turned off ${code(resource.feature)}`}. ${hasStatements ? `[Statements](../../test/queries/${resource.name}.sql) · ` : ''}[Table](../database.md#${resource.table})`,
    '## Rows',
    'Which rows exist for a caller. Each condition is in the statements.',
    markdownTable(
      ['caller', 'rows'],
      audiences.map((audience) => [audience, rowsText(resource, audience)]),
    ),
    '## Fields',
    '`own`: the person whom the row concerns, and staff. `staff`: staff, and lecturers for their own rows.',
    markdownTable(
      ['field', 'type', 'shown to', 'written', 'meaning'],
      Object.entries(membersOf(resource.schema)).map(([name, field]) => fieldRow(resource, name, field)),
    ),
    ...(Object.keys(resource.inputs).length > 0
      ? [
          'Accepted in requests only:',
          markdownTable(
            ['input', 'type', 'meaning'],
            Object.entries(resource.inputs).map(([name, schema]) => [code(name), typeText(schema), schema.meta()?.description ?? '']),
          ),
        ]
      : []),
    '## Operations',
    markdownTable(
      ['operation', 'request', 'scope', 'callers', 'accepted statuses', 'leads to', 'conditions'],
      operations.map(operationRow),
    ),
    ...listParts(resource, table),
    ...(changing.length > 0
      ? [
          '## Effects',
          'These effects are possible in addition to the change of the row: all functions that the rules of an operation call are followed. Each change is in the feed of changes and is sent to the webhooks of its type.',
          markdownTable(['operation', 'change', 'audit events', 'e-mails', 'changes of other rows', 'other tables written'], changing),
        ]
      : []),
    '## Triggers',
    table.triggers.length > 0
      ? markdownTable(
          ['trigger', 'when', 'only if', 'calls'],
          table.triggers.map(({ name, when, condition, calls }) => [
            code(name),
            when,
            condition === null ? '' : code(withoutParentheses(condition)),
            `[${code(calls)}](../database.md#functions)`,
          ]),
        )
      : `${code(resource.table)} has no triggers.`,
  ])
}

/** Returns docs/resources/README.md. */
export function renderResourceIndex(resources: readonly Resource[], operations: readonly Operation[]): string {
  return paragraphs([
    '<!-- Printed by npm run docs from src/school. -->',
    '# Resources',
    `What the API allows, from the declarations in \`src/school\`: fields with the callers who see and write them, operations by role, scope and status,
filters and sorts with their indexes, effects and triggers. A change of a permission shows in the diff of these pages, a change of a query in
\`test/queries\`. [The database](../database.md) describes the tables.`,
    markdownTable(
      ['resource', 'scopes', 'operations', 'callers'],
      resources.map((resource) => {
        const own = operations.filter((one) => one.resource === resource)
        const scopes = new Set(own.map(({ scope }) => scope))
        const callers = audiences.filter((audience) => own.some(({ roles }) => roles.includes(audience)))
        return [`[${resource.name}](${resource.name}.md)`, codes(scopes), String(own.length), callers.join(', ')]
      }),
    ),
  ])
}

function rowsText({ visibility, unlisted, views }: Resource, audience: (typeof audiences)[number]): string {
  const rule: unknown = visibility[audience]
  if (rule === nothing && unlisted === undefined) return 'none'
  const rows = rule === everything ? 'all' : rule === nothing ? 'none in lists' : 'some'
  const view = audience === 'staff' ? '' : audience === 'lecturer' && views.staff ? ', of some all fields' : ''
  return `${rows}${unlisted && rule !== everything ? ', and unlisted ones by their key' : ''}${view}`
}

function fieldRow({ writable, required, gatedFields }: Resource, name: string, field: z.ZodType): string[] {
  const written = writable.find((one) => one.field === name)
  const notes = [
    written?.isCreateOnly && 'when created',
    written?.isUpdateOnly && 'when updated',
    written?.roles && `by ${written.roles.join(', ')}`,
    required.includes(name) && 'required',
  ].filter(Boolean)
  const shown = [viewers[viewOf(field)], gatedFields.includes(name) && 'gated', isOnDemand(field) && 'on demand'].filter(Boolean)
  return [code(name), typeText(field), shown.join(', '), written ? notes.join(', ') || 'yes' : '', field.meta()?.description ?? '']
}

/** Returns a short name of a type. */
function typeText(schema: z.ZodType): string {
  const type = unwrapped(schema)
  const name = isArray(type)
    ? `list of ${typeText(type.element)}`
    : type instanceof z.ZodEnum
      ? type.options.join(', ')
      : type instanceof z.ZodISODateTime
        ? 'time'
        : type.meta()?.idPrefix !== undefined
          ? `id ${String(type.meta()?.idPrefix)}_`
          : isObjectSchema(type) || isRecord(type) || isUnion(type)
            ? 'object'
            : type.type
  return isNullable(schema) ? `${name} or null` : name
}

function operationRow(operation: Operation): string[] {
  const { id, method, path, scope, roles, anonymous } = operation
  const rules: { from?: readonly string[]; to?: string | readonly string[]; parentStatus?: readonly string[]; limit?: string } =
    'rules' in operation ? operation.rules : {}
  const callers = roles.map((role) => (role === 'anonymous' && anonymous === 'partial' ? 'anonymous in part' : role))
  const conditions = [
    'view' in operation && operation.view !== 'own' && `view ${operation.view}`,
    ifMatchText(operation),
    rules.parentStatus && `parent is ${rules.parentStatus.join(', ')}`,
    rules.limit && `limit ${rules.limit}`,
    operation.deprecation && 'deprecated',
  ].filter(Boolean)
  const { from, to } = rules
  return [
    code(id),
    `${method} ${code(path.replace('/api/v1', ''))}`,
    code(scope),
    callers.join(', '),
    from ? codes(from) : '',
    to === undefined ? '' : codes([to].flat()),
    conditions.join(', '),
  ]
}

function listParts(
  { filters, sorts, search, defaultSorts, selections, derivations }: Resource,
  { indexes, keys, columns }: Table,
): string[] {
  const primary = keys.flatMap(({ kind, text }) => (kind === 'primary' ? [text] : []))
  const all = [...primary, ...indexes.map((index) => index.keys)]
  const derived = new Set([...selections, ...derivations].map(({ field }) => field))
  const isColumn = (name: string): boolean => !derived.has(name) && columns.some((column) => column.name === name)
  const filterRows = filters.map(({ name, operators, description, isStaffOnly, isShared }) => [
    operators.map((operator) => code(parameterName(name, operator))).join(', '),
    description,
    isStaffOnly ? 'staff' : '',
    isShared && isColumn(name)
      ? codes(all.filter((one) => new RegExp(`^\\((?:school_id, )?"?${name}"?[,)]`).test(one)))
      : 'a separate condition',
  ])
  return [
    ...(filterRows.length > 0
      ? ['## Filters', markdownTable(['filter', 'compares', 'only for', 'index that begins with it'], filterRows)]
      : []),
    ...(search.length > 0
      ? [`\`q\` searches ${search.map(({ column, isForStaff }) => `${code(column)}${isForStaff ? ' (staff)' : ''}`).join(', ')}.`]
      : []),
    ...(sorts.length > 0
      ? [
          '## Sorts',
          markdownTable(
            ['sort', 'default', 'callers', 'indexes in this order'],
            sorts
              .filter((sort, index) => index % 2 === 0 || sort === defaultSorts?.staff)
              .map((sort) => [
                code(sort.name),
                defaultText(sort, defaultSorts),
                sort.roles?.join(', ') ?? '',
                codes(all.filter((one) => isInOrder(one, sort))),
              ]),
          ),
        ]
      : []),
  ]
}

const defaultText = (sort: Sort, defaults: Resource['defaultSorts']): string =>
  sort === defaults?.everyone ? (sort === defaults.staff ? 'yes' : 'yes, except staff') : sort === defaults?.staff ? 'for staff' : ''

/**
 * Returns the sorts for which no index has the order of the list, each with the index to add. Without it, a page of a long list would sort
 * every row.
 */
export function sortsWithoutIndex({ name, table, sorts }: Resource, { indexes, keys }: Table): string[] {
  const all = [...keys, ...indexes.map((index) => ({ text: index.keys }))].map(({ text }) => text)
  return sorts
    .filter((sort) => !sort.name.startsWith('-') && !all.some((one) => isInOrder(one, sort)))
    .filter(({ column }) => !(column === 'updated_at' && sortedTables.has(table)))
    .map((sort) => {
      const { column } = sort
      const other = sort.isNullable ? "'-infinity'::timestamptz" : undefined
      const addition =
        other === undefined
          ? `add @@index([school_id, ${column}, id]) to model ${table} in prisma/schema.prisma, and run npm run migration -- <name>`
          : `write CREATE INDEX CONCURRENTLY "${table}_${column}_order" ON "${table}" ("school_id", COALESCE("${column}", ${other}), "id") in a separate migration, and its name in prisma/handwritten.txt`
      return `${name} can be sorted by ${sort.name}, and no index has this order: ${addition}`
    })
}

/** True if an index ends in the columns of the sort. */
function isInOrder(keys: string, sort: Sort): boolean {
  const [column = '', ...others] = sortColumns(sort)
  // All indexes of lists end with the id.
  if (column === 'id') return keys === '(school_id, id)'
  const first = !sort.isNullable ? `"?${column}"?` : `COALESCE\\(${column}, [^)]*\\)`
  return new RegExp(`^\\((?:[^()]*, )?${[first, ...others].join(', ')}\\)$`).test(keys)
}

/** Returns the row of an operation that has effects. */
function effectRow(operation: Operation): string[] | undefined {
  const { emails, audit, changes, tables } = effectsOf(operation)
  const { resource } = operation
  const isRead = ['list', 'get', 'read', 'collectionRead'].includes(operation.kind)
  const action = actionOf(operation)
  const written = [...tables].filter((table) => table !== resource.table && table !== 'change_log').toSorted()
  const own = isRead ? [] : [writeEvent(resource.object, action)]
  const events = [...own, ...[...audit].toSorted()]
  if (events.length === 0 && emails.size === 0 && changes.size === 0 && written.length === 0) return undefined
  return [
    code(operation.id),
    isRead || operation.kind === 'collection' ? '' : code(`${resource.object}.${changeActionOf(action)}`),
    codes(events),
    codes([...emails].toSorted()),
    codes([...changes].toSorted()),
    codes(written),
  ]
}

function actionOf(operation: Operation): string {
  switch (operation.kind) {
    case 'create':
      return 'created'
    case 'update':
    case 'replace':
      return 'updated'
    case 'remove':
      return 'deleted'
    case 'action':
      return operation.successStatus === 201 && !operation.rules.output && !operation.rules.answers ? 'created' : operation.name
    case 'collection':
      return operation.name
    default:
      return ''
  }
}
