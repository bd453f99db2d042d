import { setTimeout } from 'node:timers/promises'
import type { Context } from 'koa'
import type { PersonCaller } from '../../base/caller.ts'
import { requireAllWithin } from '../../base/http/rateLimitHeaders.ts'
import { Problem } from '../../base/problem.ts'
import type { ListedRow } from '../../base/text/pageOfRows.ts'
import { type ApiResponse, bodyOf, type Format, pageOf } from '../../engine/call.ts'
import type { Operation } from '../../engine/declare/operations.ts'
import { limitsOf } from '../../engine/operationLimits.ts'
import { changeFeedOf } from '../../engine/output/changeFeed.ts'
import { managedResources } from '../../engine/output/managedResources.ts'
import { operationInput } from '../../engine/output/operationInput.ts'
import { searchOf } from '../../engine/output/search.ts'
import { run } from '../../engine/run.ts'
import { isWrite } from '../../engine/write/dryRun.ts'
import type { OwnCall, OwnOperations } from '../../pages/account/accountArguments.ts'
import type { ResponseTo } from '../../school/apiRows.ts'
import { operationArguments } from './api.ts'
import { type Foundation, personIn } from './foundation.ts'

/** How often, and after how many milliseconds, a form that was sent twice waits for the response to the first. */
const [maxWaits, waitMilliseconds] = [50, 100]

/**
 * Creates the functions with which the account pages call operations of the API for the person who is signed in: the same checks, limits,
 * audit entries and change feed as for an app. The person has every scope; role and row rules apply as always.
 */
export function createOwnOperations(foundation: Foundation): OwnOperations & { operationOf(id: string): Operation } {
  const { operations, accounts, limits } = foundation
  const scopes = new Set(foundation.scopes.map(({ name }) => name))
  const acrossTypes = new Set([changeFeedOf(operations).id, searchOf(operations).id])
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  const operationOf = (id: string): Operation => {
    const operation = byId.get(id)
    if (!operation) throw new Error(`there is no operation ${id}`)
    return operation
  }
  const { operations: _operations, ...context } = operationArguments(foundation)
  const call = async (ctx: Context, accountId: string, id: string, asked: OwnCall): Promise<ApiResponse> => {
    const { parameters = {}, body, form, ifMatch, language, key, type, csv, isDryRun = false } = asked
    const { school, requestId, address } = ctx.state
    const operation = operationOf(id)
    const holder = { clientId: '', accountId, grantId: '' }
    const [person, counts] = await Promise.all([
      personIn(accounts)(school.id, accountId),
      limits.countApi(ctx, holder, limitsOf(operation, 'json')),
    ])
    requireAllWithin(counts)
    if (!person) throw new Problem('access_denied')
    const caller: PersonCaller = { kind: 'person', ...person, ...holder, scopes, language }
    const sent = {
      parameters: () => parameters,
      body: async () => body,
      ...(form && { form: async () => form }),
      ...(csv !== undefined && { csv: async () => csv }),
      ...(ifMatch !== undefined && { ifMatch }),
      ...(key !== undefined && { idempotencyKey: key, target: ctx.path }),
      ...(type !== undefined && { format: formatOf(operation, type) }),
    }
    const store = context.databaseOf(school.id)
    const around = { ...context, database: store.kysely, store, school, requestId, address }
    return await onceFirstIsDone(() => (isDryRun ? foundation.run : run)(operation, caller, { ...sent, isDryRun }, around))
  }
  return {
    operationOf,
    async perform<Id extends string, Query extends ListedRow>(ctx: Context, accountId: string, id: Id, asked: OwnCall<Query> = {}) {
      const response = await call(ctx, accountId, id, asked)
      // A file has all rows of its list.
      const { list: _list, ...whole } = response
      return { ...response, body: bodyOf<ResponseTo<Id, Query>>(response.stream ? whole : response) }
    },
    list: async <Id extends string, Query extends ListedRow>(
      ctx: Context,
      accountId: string,
      id: Id,
      parameters?: Query,
      position: ListedRow = {},
    ) => pageOf<ResponseTo<Id, Query>>(await call(ctx, accountId, id, { parameters: { ...position, ...parameters } })),
    managed: managedResources(operations),
    inputOf: (id) => operationInput(operationOf(id)),
    describeRequest(id) {
      const operation = byId.get(id)
      if (!operation) return undefined
      const { kind, method, path, resource } = operation
      const [row] = /^.*?\/\{id[^}]*\}\//.exec(path) ?? []
      const isUnder = (one: Operation) => row !== undefined && one.path.startsWith(row)
      const under = operations.filter((one) => one.kind === 'list' && isUnder(one))
      const whole = operations.filter((one) => one.kind === 'list' && !one.path.includes('{'))
      return {
        isChange: kind === 'update' || kind === 'replace' || (kind === 'action' && method === 'PATCH'),
        isNew: kind === 'create',
        choices: new Set(foundation.texts.requestChoices()[id]),
        row:
          kind === 'create'
            ? undefined
            : readerIn(operations, ({ idPrefix, isSingleton }) => idPrefix === resource.idPrefix && isSingleton === resource.isSingleton),
        lists: [...under, ...whole].map((one) => ({
          idPrefix: one.resource.idPrefix,
          operation: one.id,
          isUnder: isUnder(one),
          expand: namedBy(one),
        })),
      }
    },
    readerOf: (prefix) => readerIn(operations, ({ idPrefix, isSingleton }) => idPrefix === prefix && !isSingleton),
    describe(id) {
      const operation = byId.get(id)
      if (operation) return { scope: operation.scope, isRead: !isWrite(operation) }
      return acrossTypes.has(id) ? { scope: undefined, isRead: true } : undefined
    },
  }
}

/** Members of rows that name people and things, with which a row without a title is named. */
const named = ['student', 'member', 'course', 'plan', 'event', 'product']

/** Returns the operation that reads a row of the first resource that fits. */
function readerIn(operations: readonly Operation[], isOf: (resource: Operation['resource']) => boolean) {
  const found = operations.find(({ kind, resource }) => kind === 'get' && isOf(resource))
  if (!found) return undefined
  return { operation: found.id, parameter: found.parameters.find((one) => one.in === 'path')?.name, expand: namedBy(found) }
}

const namedBy = ({ resource }: Operation): string[] => named.filter((name) => Object.hasOwn(resource.expansions, name))

function formatOf({ resource }: Operation, type: string): Format {
  if (type === 'text/html') return 'html'
  if (type === 'text/csv') return 'csv'
  const found = resource.representations.find((one) => one.type === type)
  if (!found) throw new Error(`${resource.name} has no representation ${type}`)
  return found
}

/** Repeats a call while another one with the same key is running: a person has pressed a button twice. */
async function onceFirstIsDone<Answer>(call: () => Promise<Answer>, waits = 0): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'idempotency_in_progress' || waits === maxWaits) throw error
  }
  await setTimeout(waitMilliseconds)
  return await onceFirstIsDone(call, waits + 1)
}
