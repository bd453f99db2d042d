import { newId, toPublicId } from '../../../src/base/ids.ts'
import { apiPath, type Operation } from '../../../src/engine/declare/operations.ts'
import type { Resource } from '../../../src/engine/declare/resource.ts'
import { resources } from '../../../src/school/index.ts'
import type { DemoApi } from '../demoApi.ts'
import { derivedSending } from './bodyOf.ts'
import { actor, actorOf, everyWrite, namesRow, resourceOnPath, type Sending, withMatch, writeNamed } from './everyWrite.ts'
import { type Exceptions, exceptionsByFile, fileNameOf, type Requests } from './exceptions.ts'
import { partSource } from './partSource.ts'
import { statusesBefore, stepsTo } from './stepsTo.ts'

/** Rows and requests for every operation that writes, derived from the declarations. */
export interface Subjects {
  /** Returns the id of a new row that the operation has an effect on; an empty text if the path names no row. */
  subjectOf(operation: Operation): Promise<string>
  /** Returns the id of a new row for the path, in its first state; an empty text if the path names none. */
  freshRow(operation: Operation): Promise<string>
  /** Creates a row that only staff can see. Returns its id. */
  newRow(resource: Resource): Promise<string>
  /** Returns a request that changes the row, except for its path. */
  sendingFor(operation: Operation, id: string): Promise<Sending>
  /** Returns the path with this id, and the ids of the parts that `subjectOf` found or created. */
  addressOf(operation: Operation, id?: string): string
  /** Returns the id of a row of another school. */
  foreignId(resource: Resource): Promise<string>
}

const declared = resources.flatMap((one) => ('operations' in one ? [one] : []))

/** Returns the creator of rows and requests for this API. */
export function createSubjects(api: DemoApi, exceptions: Readonly<Record<string, Exceptions>> = exceptionsByFile): Subjects {
  /** Ids of parts that paths name, by the id of the row and the name in the path. */
  const parts = new Map<string, Record<string, string>>()
  const exceptionsOf = (resource: Resource): Exceptions => exceptions[fileNameOf(resource)] ?? {}
  const requests: Requests = {
    ...api,
    create: newRow,
    send: async (operationId, id, body) => await done(writeNamed(operationId), id, body),
    get: async (path) => (await api.get(`${apiPath}/${path}`, { as: actor })).json,
  }

  async function newRow(resource: Resource): Promise<string> {
    const { create } = exceptionsOf(resource)
    if (create) return await create(requests)
    const creation = everyWrite.find((one) => one.kind === 'create' && one.resource.idPrefix === resource.idPrefix)
    if (!creation) throw new Error(`No operation creates a row of ${resource.name}: add \`create\` to ${placeOf(resource)}`)
    return String((await done(creation, await freshRow(creation))).id)
  }

  async function freshRow(operation: Operation): Promise<string> {
    return namesRow(operation) ? await newRow(resourceOnPath(operation)) : ''
  }

  async function subjectOf(operation: Operation): Promise<string> {
    const id = await freshRow(operation)
    await prepare(operation, id)
    return id
  }

  /** Brings the row into a state in which the operation has an effect, and creates the parts that its path names. */
  async function prepare(operation: Operation, id: string): Promise<void> {
    const { before, parts: special } = exceptionsOf(operation.resource)
    for (const step of await stepsFor(operation, id, before?.[operation.id] !== undefined)) await done(step, id)
    if (operation.kind === 'action' && operation.rules.follows !== undefined) await done(writeNamed(operation.rules.follows), id)
    await before?.[operation.id]?.(requests, id)
    for (const { name, idPrefix } of partsIn(operation)) {
      const part = await (special?.[name]?.(requests, id) ?? newPart(operation.resource, idPrefix, id))
      if (part !== undefined) parts.set(id, { ...parts.get(id), [name]: part })
    }
  }

  async function stepsFor(operation: Operation, id: string, isPrepared: boolean): Promise<readonly Operation[]> {
    if (!namesRow(operation) || !statusesBefore(operation)) return []
    const resource = resourceOnPath(operation)
    const { json } = await api.get(`${apiPath}/${resource.path}/${id}`, { as: actor })
    const steps = stepsTo(operation, String(json.status))
    if (steps || isPrepared) return steps ?? []
    throw new Error(
      `No sequence of declared actions leads a row of ${resource.name} from ${json.status} to ${statusesBefore(operation)?.join(' or ')}: add ${operation.id} to \`before\` in ${placeOf(operation.resource)}`,
    )
  }

  /** Creates a part of the row: a row under it, or an element of one of its lists. Undefined if nothing declared creates it. */
  async function newPart(resource: Resource, idPrefix: string, id: string): Promise<string | undefined> {
    const source = partSource(resource, idPrefix)
    if (!source) return undefined
    const made = await done(source.operation, id)
    return source.list === undefined ? String(made.id) : (made[source.list] as { id: string }[]).at(-1)?.id
  }

  /** Prepares the row for an operation, sends it, and returns the response. */
  async function done(operation: Operation, id: string, body?: object): Promise<Record<string, unknown>> {
    await prepare(operation, id)
    const sending = body ? { body } : await sendingFor(operation, id)
    const reply = await api.send(addressOf(operation, id), withMatch({ ...sending, method: operation.method, as: actorOf(operation) }))
    if (reply.status >= 300)
      throw new Error(`${operation.id}: ${reply.status} ${reply.text}. If it needs more, add it to ${placeOf(operation.resource)}`)
    return reply.json
  }

  async function sendingFor(operation: Operation, id: string): Promise<Sending> {
    const { resource } = operation
    const body = await exceptionsOf(resource).bodies?.[operation.id]?.(requests, id)
    if (body) return { body }
    return await derivedSending(operation, {
      refer: async (idPrefix) => {
        const other = declared.find((one) => one.idPrefix === idPrefix && one.operations.create !== undefined)
        return other && (await newRow(other))
      },
      read: async () => (await api.get(`${apiPath}/${resource.path}${id && `/${id}`}`, { as: actorOf(operation) })).json,
    })
  }

  function addressOf(operation: Operation, id = ''): string {
    const { path, parameters } = operation
    const schemaOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema
    return path
      .replace(/\{id(_or_\w+)?\}/, namesRow(operation) ? id : String(schemaOf('id')?.meta()?.example))
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const { idPrefix, example } = schemaOf(name)?.meta() ?? {}
        // Revisions and the like have numbers.
        const other = typeof example === 'string' ? example : '1'
        return parts.get(id)?.[name] ?? (idPrefix === undefined ? other : toPublicId(idPrefix, newId()))
      })
  }

  async function foreignId(resource: Resource): Promise<string> {
    const [row] = await api.database.sql.query<{ id: string }>(`SELECT id FROM ${resource.table} WHERE school_id <> $1 LIMIT 1`, [
      api.school.id,
    ])
    if (!row) throw new Error(`No other school has a row of ${resource.name}: add one to the demo's data, or where this test begins.`)
    return toPublicId(resource.idPrefix, row.id)
  }

  return { subjectOf, freshRow, newRow, sendingFor, addressOf, foreignId }
}

const placeOf = (resource: Resource): string => `test/school/subjects/${fileNameOf(resource)}.ts`

/** Returns the names of the parts of a row in the path, with the prefixes of their ids. */
function partsIn(operation: Operation): { name: string; idPrefix: string }[] {
  if (!namesRow(operation)) return []
  return operation.parameters.flatMap(({ name, in: place, schema }) => {
    const idPrefix = schema.meta()?.idPrefix
    return place === 'path' && !/^id(_or_\w+)?$/.test(name) && idPrefix !== undefined ? [{ name, idPrefix }] : []
  })
}
