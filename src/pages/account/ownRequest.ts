import type { Context } from 'koa'
import type { Role } from '../../base/caller.ts'
import { everyRow, firstRows, type ListedRow, type PageOfRows } from '../../base/text/pageOfRows.ts'
import type { ResponseTo } from '../../school/apiRows.ts'
import { auditEntry } from '../auditEntry.ts'
import { knownPerson } from '../knownRows.ts'
import type { AccountServices } from './accountArguments.ts'
import { isClosed } from './found.ts'
import type { AccountRequest, OwnRequest } from './ownPage.ts'
import type { SignedInPerson } from './signedInPerson.ts'

const [rowsOnPage, rowsAtOnce, maxWhole] = [50, 100, 1000]

export function createAccountRequest(services: AccountServices, ctx: Context, accountId: string): AccountRequest {
  const { school, form } = ctx.state
  const database = services.databaseOf(school.id)
  return {
    ...{ ctx, services, school, accountId, database },
    sent: form instanceof URLSearchParams ? form : new URLSearchParams(),
    reader: database.kysely,
    change: database.transaction,
    audit: (event, entry) => services.audit(auditEntry(ctx, event, { account_id: accountId, ...entry })),
  }
}

export function createOwnRequest(services: AccountServices, ctx: Context, person: SignedInPerson, path: string): OwnRequest {
  const { school } = ctx.state
  const { accountId } = person
  const read = async <Id extends string, Query extends ListedRow>(
    operation: Id,
    parameters: Query | undefined,
    { limit, cursor }: { limit: number; cursor: unknown },
  ): Promise<PageOfRows<ResponseTo<Id, Query>>> => {
    try {
      return await services.list(ctx, accountId, operation, parameters, { limit, ...(typeof cursor === 'string' && { cursor }) })
    } catch (error) {
      if (isClosed(error)) return { rows: [], next: null, previous: null }
      throw error
    }
  }
  const each = <Id extends string, Query extends ListedRow>(operation: Id, parameters?: Query) =>
    everyRow((cursor) => read(operation, parameters, { limit: rowsAtOnce, cursor }))
  let role: Promise<Role> | undefined
  const readRole = async (): Promise<Role> => (await knownPerson(services, school.id, accountId))?.role ?? 'learner'
  return {
    ...createAccountRequest(services, ctx, accountId),
    ...{ person, path, each, params: ctx.params },
    role() {
      role ??= readRole()
      return role
    },
    pageContext: () => services.present.pageContext(ctx, path),
    perform: (operation, parameters, call = {}) =>
      services.perform(ctx, accountId, operation, { ...call, ...(parameters && { parameters }) }),
    async list<Id extends string, Query extends ListedRow>(section: string, operation: Id, parameters?: Query) {
      const cursor = ctx.query[section]
      const { rows, next, total } = await read(operation, parameters, { limit: rowsOnPage, cursor })
      ctx.state.lists = [...(ctx.state.lists ?? []), { section, next, total }]
      return rows
    },
    every: async (operation, parameters) => (await firstRows(each(operation, parameters), maxWhole)).rows,
  }
}
