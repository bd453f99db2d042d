import { z } from 'zod'
import { newId } from '../../../src/base/ids.ts'
import type { Operation } from '../../../src/engine/declare/operations.ts'
import type { Resource } from '../../../src/engine/declare/resource.ts'
import { unwrapped, writeForm } from '../../../src/engine/declare/views.ts'
import { inputOf, type Sending } from './everyWrite.ts'
import { isUnique, type Refer, validObject, validValue } from './validValue.ts'

/** Returns a request that has an effect, from the declaration. `read` returns the current row. */
export async function derivedSending(
  operation: Operation,
  { refer, read }: { refer: Refer; read: () => Promise<Record<string, unknown>> },
): Promise<Sending> {
  const { kind, resource } = operation
  switch (kind) {
    case 'create': {
      const { input } = operation.rules
      const body = input ? unique(resource, await validObject(input, refer)) : await newFields(resource, refer)
      return operation.rules.takes ? form(body) : { body }
    }
    case 'update':
    case 'replace': {
      const row = await read()
      return { body: { ...(kind === 'replace' && writableOf(resource, row)), ...(await changeOf(resource, row, refer)) } }
    }
    case 'remove':
      return {}
    default: {
      if (operation.method === 'DELETE') return {}
      if (kind === 'collection' && operation.name === 'bulk' && resource.operations.bulk)
        return { body: { items: [await newFields(resource, refer)] } }
      const input = inputOf(operation)
      return { body: input ? unique(resource, await validObject(input, refer)) : {} }
    }
  }
}

/** Returns the fields and inputs that a new row requires. */
async function newFields(resource: Resource, refer: Refer): Promise<Record<string, unknown>> {
  const fields: [string, unknown][] = []
  for (const name of resource.required) fields.push([name, await validValue(memberOf(resource, name), refer)])
  return unique(resource, Object.fromEntries(fields))
}

/** Returns the values with new texts where the database requires unique ones. Addresses are new already. */
function unique(resource: Resource, values: Record<string, unknown>): Record<string, unknown> {
  const renewed = Object.entries(values).map(([name, value]): [string, unknown] => {
    const isOld = typeof value === 'string' && !value.includes('@') && isUnique(resource, name)
    return [name, isOld ? `${value}${newId().slice(-8)}` : value]
  })
  return Object.fromEntries(renewed)
}

const memberOf = ({ inputs, schema }: Resource, name: string): z.ZodType => (inputs[name] ?? schema.shape[name]) as z.ZodType

const writableOf = ({ writable }: Resource, row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(writable.filter(({ field }) => field in row).map(({ field }) => [field, row[field]]))

/** Returns the first field that can get another value. */
async function changeOf(resource: Resource, row: Record<string, unknown>, refer: Refer): Promise<Record<string, unknown>> {
  for (const { field } of resource.writable.filter(({ isCreateOnly }) => !isCreateOnly)) {
    const schema = resource.schema.shape[field] as z.ZodType
    const inner = unwrapped(schema)
    const values = [await validValue(schema, refer), `${row[field]} too`, ...(inner instanceof z.ZodEnum ? inner.options : [])]
    const value = values.find(
      (one) => one !== undefined && JSON.stringify(one) !== JSON.stringify(row[field]) && writeForm(schema, 'staff').safeParse(one).success,
    )
    if (value !== undefined) return { [field]: value }
  }
  throw new Error(`No field of ${resource.name} can be changed to another value`)
}

const boundary = 'a-boundary-that-no-text-contains'

/** Returns a form with a small picture. */
function form(fields: Record<string, unknown>): Sending {
  const part = (name: string, value: string, more = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
  const { file, ...others } = fields
  const picture = part('file', 'GIF89a', `; filename="${file}"\r\nContent-Type: image/gif`)
  const body = `${Object.entries(others)
    .map(([name, value]) => part(name, String(value)))
    .join('')}${picture}--${boundary}--\r\n`
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}
