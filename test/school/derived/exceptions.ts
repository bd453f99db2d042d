import { readdirSync } from 'node:fs'
import type { Operation } from '../../../src/engine/declare/operations.ts'
import type { Resource } from '../../../src/engine/declare/resource.ts'
import type { DemoApi } from '../demoApi.ts'

/**
 * Completes what the declaration of a resource says about its requests. test/school/subjects has a file for each resource that needs anything,
 * named after the resource. The keys are ids of its operations, and in `parts` names of parameters. test/school/subjects.test.ts reports an
 * entry without which the requests succeed as well.
 */
export interface Exceptions {
  /** Creates a row that only staff can see, if its create operation is not enough. Returns its id. */
  create?(request: Requests): Promise<string>
  /** Does what must happen to the row before the operation, if declared statuses and `follows` are not enough. */
  before?: Readonly<Record<string, (request: Requests, id: string) => Promise<unknown>>>
  /** Returns the body of a request that changes the row, if the examples of its schema are not enough. */
  bodies?: Readonly<Record<string, (request: Requests, id: string) => Promise<object>>>
  /** Returns the id of a part of the row, if the part is neither a row under it nor in a list of its fields. */
  parts?: Readonly<Record<string, (request: Requests, id: string) => Promise<string>>>
  /** Operations that need a sign-in, each with the test of its effect. Here only the rejection of requests is tested. */
  elsewhere?: Readonly<Record<string, string>>
}

/** The requests that exceptions send. */
export interface Requests extends Pick<DemoApi, 'database' | 'school' | 'caller'> {
  /** Creates a row that only staff can see. Returns its id. */
  create(resource: Resource): Promise<string>
  /** Prepares the row for an operation, and sends it, with a derived body unless there is one. Returns the response. */
  send(operationId: string, id: string, body?: object): Promise<Record<string, unknown>>
  /** Returns the response of a read operation at this path below /api/v1. */
  get(path: string): Promise<Record<string, unknown>>
}

const folder = new URL('../subjects/', import.meta.url)

/** The exceptions by the name of the file, which is the name of the resource in camelCase. */
export const exceptionsByFile: Readonly<Record<string, Exceptions>> = Object.fromEntries(
  await Promise.all(
    readdirSync(folder).map(async (file): Promise<[string, Exceptions]> => {
      const name = file.replace(/\.ts$/, '')
      const { exceptions } = await import(`../subjects/${name}.ts`)
      return [name, exceptions]
    }),
  ),
)

/** Returns the name of the file with the exceptions of a resource. */
export const fileNameOf = ({ name }: Resource): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** True if the effect of an operation is tested with a sign-in, and here only the rejection of requests. */
export const isTestedElsewhere = ({ id, resource }: Operation): boolean => id in (exceptionsByFile[fileNameOf(resource)]?.elsewhere ?? {})
