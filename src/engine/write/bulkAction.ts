import { z } from 'zod'
import { toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { FrameworkParameters } from '../call.ts'
import type { ScopeVerb } from '../declare/area.ts'
import type { Operation, OperationOf } from '../declare/operations.ts'
import type { Resource } from '../declare/resource.ts'
import { membersOf } from '../declare/schemas.ts'
import { type ParameterValues, parameterValues, type Values } from '../declare/values.ts'
import { bulk } from './bulk.ts'
import { isUnchanged, itemsOutput } from './bulkOutput.ts'
import { createRow } from './createRow.ts'
import { explainViolation } from './explainViolation.ts'
import { updateRow } from './updateRow.ts'
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
