import { z } from 'zod'
import { toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { FrameworkParameters } from '../call.ts'
import type { ScopeVerb } from '../declare/area.ts'
import { type ParameterValues, parameterValues, type Values } from '../declare/expressions.ts'
import type { Operation, OperationOf } from '../declare/operations.ts'
import type { Resource } from '../declare/resource.ts'
import { isRecord, membersOf } from '../declare/views.ts'
import { serializeWhole } from '../output/serialize.ts'
import { loadWritten } from '../read/findRows.ts'
import { type BulkOutcome, bulk, maxItems } from './bulk.ts'
import { createRow, updateRow } from './changeRow.ts'
import type { CsvRules } from './csvItems.ts'
import { explainViolation } from './explainViolation.ts'
import { parseInput } from './parseBody.ts'
import type { Write } from './write.ts'
import type { Access, CollectionAction, RowsInBulk, Writing } from './writing.ts'

/** A bulk operation: its items are checked one by one, whatever the others are. */
interface BulkRules<Item extends z.ZodType, Options extends z.ZodRawShape> extends Access<ScopeVerb> {
  id?: string
  summary: string
  of: Pick<Resource, 'idPrefix' | 'object'>
  /** The member of the body that has the items. Default: `items`. */
  member?: string
  /** One item, and the list of items for the documents. */
  item: Item
  about: { description: string; example: unknown[] }
  /** Members of the body next to the items. `atomic`: one failure undoes all items. */
  options?: Options
  keys: readonly string[]
  csv?(): CsvRules
  explain?(error: unknown): unknown
  begin(
    writing: Writing,
    items: readonly z.output<Item>[],
    options: z.output<z.ZodObject<Options>>,
  ): Promise<(item: z.output<Item>) => Promise<BulkOutcome>>
}

const emptyCells = z.object({
  empty_cells: z.enum(['keep', 'clear']).default('keep').meta({
    description: 'What an empty cell of a CSV file does to an existing value: `keep` leaves it, `clear` makes it null.',
    example: 'keep',
  }),
})

export function defineBulkAction<Item extends z.ZodType, Options extends z.ZodRawShape>({
  of,
  member = 'items',
  item,
  about,
  options,
  keys,
  explain,
  begin,
  ...rules
}: BulkRules<Item, Options>): CollectionAction<ScopeVerb> {
  const items = z.array(item).min(1).max(maxItems).meta(about)
  const others = z.object(options ?? ({} as Options))
  return {
    ...rules,
    status: 207,
    input: z.object({ [member]: items }).extend(others.shape),
    checksEach: member,
    isAtomic: ({ atomic }) => atomic === true,
    isUnchanged,
    output: itemsOutput(of),
    ...(rules.csv && { parameters: emptyCells }),
    async run(writing, input) {
      const { [member]: sent, ...values } = input
      const response = await bulk<z.output<Item>>(writing.writer, {
        items: Array.isArray(sent) ? sent : [],
        check: (one) => checkItem(item, member, one),
        keys,
        rows: writing.csv?.rows,
        isAtomic: values.atomic === true,
        begin: (valid) => begin(writing, valid, others.parse(values)),
        ...(explain && { explain }),
      })
      return writing.csv ? { ...response, csv: writing.csv.ignored } : response
    },
  }
}

/** @throws Problem with the field errors of this item */
function checkItem<Item extends z.ZodType>(schema: Item, member: string, sent: unknown): z.output<Item> {
  if (schema instanceof z.ZodObject || isRecord(schema)) {
    if (!isObject(sent)) throw new Problem('validation_failed', { description: 'An item must be a JSON object.' })
    // Items of any form are checked like the body of a single request.
    return schema.parse(schema instanceof z.ZodObject ? parseInput(schema, sent) : sent)
  }
  return schema.parse(parseInput(z.object({ [member]: schema }), { [member]: sent })[member])
}

/** Creates the action that writes many rows. Each row is handled by the operations that create and update a single one. */
export function bulkAction(
  resource: Resource,
  { find, lockAll, ...access }: RowsInBulk<ScopeVerb>,
  operations: () => readonly Operation[],
): CollectionAction<ScopeVerb> {
  return defineBulkAction({
    ...access,
    of: resource,
    summary: `Add or change many ${resource.name.replaceAll('_', ' ')}`,
    item: z.record(z.string(), z.unknown()),
    about: { description: 'Objects in the form of a single request.', example: [exampleItem(resource)] },
    options: {
      mode: z
        .enum(['create', 'upsert'])
        .default('create')
        .meta({ description: '`create` reports an error for an object that exists; `upsert` changes it.', example: 'upsert' }),
      atomic: z.boolean().default(false).meta({ description: 'If true, one failure undoes all items.', example: false }),
    },
    csv: () => ({ members: Object.fromEntries(writableMembers(resource)), options: { mode: 'upsert' } }),
    explain: (error) => explainViolation(error, resource),
    async begin(writing, items, { mode }) {
      if (mode === 'upsert') await lockAll(writing, items)
      const write = writing as Write<OperationOf<'collection'>>
      return (item) => writeItem(write, { item, mode, find, operations: operations() })
    },
  })
}

const writableMembers = ({ writable, inputs, schema }: Resource): [string, z.ZodType][] => [
  ...writable.map(({ field }): [string, z.ZodType] => [field, membersOf(schema)[field] ?? z.never()]),
  ...Object.entries(inputs),
]

interface Item {
  item: Values
  mode: 'create' | 'upsert'
  find: RowsInBulk<ScopeVerb>['find']
  operations: readonly Operation[]
}

async function writeItem(write: Write<OperationOf<'collection'>>, { item, mode, find, operations }: Item): Promise<BulkOutcome> {
  const part = {
    ...write,
    body: item,
    isPart: true,
    precondition: undefined,
  }
  const id = mode === 'upsert' ? await find(part, item) : undefined
  if (id === undefined) {
    const { body } = await createRow({ ...part, operation: of(operations, 'create') })
    return { status: 201, id: String(body.id) }
  }
  const operation = of(operations, 'update')
  const cleared = await countCleared({ ...part, operation }, id, item)
  const { body } = await updateRow({ ...part, operation, parameters: keyed(write, operation, id) })
  return { status: 200, id: String(body.id), cleared }
}

/** Returns the number of values that an item makes null. */
async function countCleared(write: Write<OperationOf<'update'>>, id: string, item: Values): Promise<number> {
  const cleared = Object.keys(item).filter((name) => item[name] === null)
  if (cleared.length === 0) return 0
  const { resource } = write.operation
  const current = serializeWhole(resource, await loadWritten(write.writer, write.queryScope, id), write)
  return cleared.filter((name) => (current[name] ?? null) !== null).length
}

function of<Kind extends 'create' | 'update'>(operations: readonly Operation[], kind: Kind): OperationOf<Kind> {
  const found = operations.find((operation) => operation.kind === kind)
  if (!found) throw new Error(`a bulk action needs the operation ${kind} for a single row`)
  return found as OperationOf<Kind>
}

const keyed = ({ operation }: Write<OperationOf<'collection'>>, update: Operation, id: string): ParameterValues<FrameworkParameters> =>
  parameterValues(
    new Map(update.parameters.flatMap((one) => (one.in === 'path' ? [[one.name, toPublicId(operation.resource.idPrefix, id)]] : []))),
  )

const exampleItem = ({ required, schema }: Resource): Record<string, unknown> =>
  Object.fromEntries(required.map((field) => [field, membersOf(schema)[field]?.meta()?.example ?? null]))

const bulkSummary = z
  .object({
    total: z.int().meta({ description: 'Number of items.', example: 2 }),
    succeeded: z.int().meta({ description: 'Number of items that succeeded.', example: 1 }),
    failed: z.int().meta({ description: 'Number of items that failed.', example: 1 }),
    cleared: z.int().optional().meta({ description: 'Number of values that became null. Absent if there are none.', example: 2 }),
  })
  .meta({ description: 'Numbers of items.', example: { total: 2, succeeded: 1, failed: 1 }, component: 'BulkSummary' })

const isUnchanged = ({ summary }: Values): boolean => bulkSummary.parse(summary).succeeded === 0

const plain = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])

const itemsOutput = ({ idPrefix, object }: Pick<Resource, 'idPrefix' | 'object'>) =>
  z.object({
    results: z
      .array(
        z.object({
          index: z.int().meta({ description: 'Position of the item in the request, from 0.', example: 0 }),
          row: z.int().optional().meta({ description: 'Row of a CSV file, as spreadsheets number them: the header is row 1.', example: 2 }),
          key: z.string().optional().meta({
            description: 'What the item has sent to name its object: the e-mail address, or another key.',
            example: 'ana@example.org',
          }),
          status: z.int().meta({ description: 'Status that a single request would have returned.', example: 201 }),
          id: z
            .string()
            .optional()
            .meta({ description: `Id of the ${object.replaceAll('_', ' ')}.`, example: `${idPrefix}_01jgwejj00e6srgkpqm2sqf05m` }),
          error: z
            .object({
              error: z.string().meta({ description: 'Error code.', example: 'email_taken' }),
              error_description: z
                .string()
                .meta({ description: 'The error and its fix, for people.', example: 'This e-mail address is already in use.' }),
              details: z
                .array(
                  z.object({
                    field: z.string().optional().meta({ description: 'Path of the field, with dots.', example: 'email' }),
                    code: z.string().meta({ description: 'Code of the rule that it breaks.', example: 'format' }),
                    message: z.string().meta({ description: 'The rule and the fix, for people.', example: 'email: must be an address' }),
                    meta: z
                      .record(z.string(), plain)
                      .optional()
                      .meta({ description: 'Values of the rule, such as the minimum or the allowed values.', example: {} }),
                  }),
                )
                .optional()
                .meta({ description: 'Every invalid field of the item.', example: [] }),
            })
            .optional()
            .meta({ description: 'The error, if the item failed.', example: {} }),
        }),
      )
      .meta({ description: 'The result of each item, in order.', example: [] }),
    summary: bulkSummary,
    csv: z
      .object({
        ignored_columns: z
          .array(z.string().meta({ description: 'The heading of a column.', example: 'Comment' }))
          .meta({ description: 'Columns that are not read.', example: ['Comment'] }),
        empty_rows: z.int().meta({ description: 'Number of rows without any value.', example: 0 }),
      })
      .optional()
      .meta({ description: 'What was ignored in a CSV file. Absent for JSON.', example: { ignored_columns: ['Comment'], empty_rows: 0 } }),
  })
