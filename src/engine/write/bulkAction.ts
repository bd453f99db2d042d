import { z } from 'zod'
import { toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { FrameworkParameters } from '../call.ts'
import type { ScopeVerb } from '../declare/area.ts'
import { type ParameterValues, parameterValues, type Values } from '../declare/expressions.ts'
import type { Operation, OperationOf } from '../declare/operations.ts'
import type { Resource } from '../declare/resource.ts'
import { membersOf } from '../declare/views.ts'
import { bulk } from './bulk.ts'
import { createRow, updateRow } from './changeRow.ts'
import { explainViolation } from './explainViolation.ts'
import type { Write } from './write.ts'
import type { CollectionAction, RowsInBulk } from './writing.ts'

const maxItems = 100

/** Creates the action that writes many rows. Each row is handled by the operations that create and update a single one. */
export function bulkAction(
  resource: Resource,
  { find, key, lockAll, ...access }: RowsInBulk<ScopeVerb>,
  operations: () => readonly Operation[],
): CollectionAction<ScopeVerb> {
  const noun = resource.name.replaceAll('_', ' ')
  return {
    ...access,
    summary: `Add or change many ${noun}`,
    status: 207,
    isAtomic: ({ atomic }) => atomic === true,
    input: z.object({
      mode: z
        .enum(['create', 'upsert'])
        .default('create')
        .meta({ description: '`create` reports an error for an object that exists; `upsert` changes it.', example: 'upsert' }),
      items: z
        .array(z.record(z.string(), z.unknown()))
        .min(1)
        .max(maxItems)
        .meta({ description: 'Objects in the form of a single request.', example: [exampleItem(resource)] }),
      atomic: z.boolean().default(false).meta({ description: 'If true, one failure undoes all items.', example: false }),
    }),
    output: itemsOutput(resource),
    csv: () => ({
      members: Object.fromEntries(writableMembers(resource)),
      options: { mode: 'upsert' },
    }),
    isUnchanged,
    async run(writing, { items, mode, atomic }) {
      if (mode === 'upsert') await lockAll(writing, items as Values[])
      return await bulk<Values>(writing.writer, {
        items: items as Values[],
        key,
        isCsv: writing.isCsv,
        isAtomic: atomic as boolean,
        explain: (error) => explainViolation(error, resource),
        each: (item) =>
          writeItem(writing as Write<OperationOf<'collection'>>, {
            item,
            mode: mode as 'create' | 'upsert',
            find,
            operations: operations(),
          }),
      })
    },
  }
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

async function writeItem(
  write: Write<OperationOf<'collection'>>,
  { item, mode, find, operations }: Item,
): Promise<{ status: number; id: string }> {
  if (!isObject(item)) throw new Problem('validation_failed', { description: 'An item must be a JSON object.' })
  const part = {
    ...write,
    body: item,
    isPart: true,
    precondition: undefined,
  }
  const id = mode === 'upsert' ? await find(part, item) : undefined
  const response =
    id === undefined
      ? await createRow({ ...part, operation: of(operations, 'create') })
      : await updateRow({ ...part, operation: of(operations, 'update'), parameters: keyed(write, of(operations, 'update'), id) })
  return { status: id === undefined ? 201 : 200, id: String(response.body.id) }
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
  })
  .meta({ description: 'Numbers of items.', example: { total: 2, succeeded: 1, failed: 1 }, component: 'BulkSummary' })

export const isUnchanged = ({ summary }: Values): boolean => bulkSummary.parse(summary).succeeded === 0

const plain = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])

export const itemsOutput = ({ idPrefix, object }: Pick<Resource, 'idPrefix' | 'object'>) =>
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
  })
