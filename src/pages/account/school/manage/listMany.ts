import { newId } from '../../../../base/ids.ts'
import { withQuery } from '../../../../base/text/withQuery.ts'
import type { ManagedOperation, ManagedResource } from '../../../../engine/output/managedResources.ts'
import type { Texts } from '../../../texts.ts'
import type { AccountSection } from '../../accountPage.ts'
import { confirmedOrAway } from '../../confirmation.ts'
import { explained, type OwnPageContext, type OwnRequest, Refused } from '../../ownPage.ts'
import { audienceAs, listAddress } from './addresses.ts'
import { nothing, resourceOf } from './managed.ts'
import { errorsOf } from './problemTexts.ts'

/** An operation on several rows, tried or done. It names those that cannot take it. */
export interface Many {
  operation: ManagedOperation
  ids: readonly string[]
  at: string
  isDone: boolean
  failures: readonly { id: string; reason: string }[]
}

declare module 'koa' {
  interface DefaultState {
    many?: Many
  }
}

const maxTicked = 100

/** Returns the operations that need nothing but the row. */
export const operationsForMany = ({ operations }: ManagedResource, role: OwnPageContext['role']): ManagedOperation[] =>
  operations.filter(
    ({ kind, roles, parameters, fields }) =>
      (kind === 'action' || kind === 'remove') &&
      roles.includes(audienceAs(role)) &&
      parameters.length === 1 &&
      !Object.values(fields).some(({ isRequired }) => isRequired),
  )

/** Calls an operation for each ticked row: first as a dry run, which shows what is possible. */
export async function runMany(request: OwnRequest): Promise<string | undefined> {
  const { sent, ctx, perform, services } = request
  const { texts } = await request.pageContext()
  const resource = resourceOf(request)
  const operation = operationsForMany(resource, await request.role()).find(({ id }) => id === sent.get('deed'))
  const ids = [...new Set(sent.getAll('row'))].slice(0, maxTicked)
  if (!operation) throw nothing()
  if (ids.length === 0) throw new Refused(422, { text: texts.text('manage.many_none') })
  const [parameter = ''] = operation.parameters
  const isDone = sent.get('seen') === ids.join()
  if (isDone && operation.isSensitive && !(await confirmedOrAway(ctx, services, `${request.path}?done=confirmed`))) return undefined
  const failures: { id: string; reason: string }[] = []
  for (const [at, id] of ids.entries()) {
    try {
      const call = isDone ? { key: `${sent.get('once') ?? ''}-${at}`, language: texts.language } : { isDryRun: true }
      await perform(operation.id, { [parameter]: id }, { body: {}, ...call })
    } catch (error) {
      const [first] = errorsOf(texts, explained(error), [])
      failures.push({ id, reason: first?.text ?? '' })
    }
  }
  const at = Object.fromEntries(new URLSearchParams(sent.get('at') ?? ''))
  if (isDone && failures.length === 0) return withQuery(listAddress(resource.name), { ...at, done: 'done' })
  ctx.state.many = { operation, ids, at: withQuery(listAddress(resource.name), at), isDone, failures }
  throw new Refused(200)
}

export function manySection(texts: Texts, resource: ManagedResource, { operation, ids, at, isDone, failures }: Many): AccountSection {
  const label = texts.deed(operation.label, operation.id)
  const possible = ids.filter((id) => !failures.some((one) => one.id === id))
  const rest = {
    action: `${listAddress(resource.name)}/many`,
    hidden: [
      ...possible.map((value) => ({ name: 'row', value })),
      { name: 'deed', value: operation.id },
      { name: 'seen', value: possible.join() },
      { name: 'at', value: at.includes('?') ? at.slice(at.indexOf('?')) : '' },
      { name: 'once', value: newId() },
    ],
    submit: texts.text('manage.many_submit', { action: label, count: possible.length }),
    kind: operation.isDestructive ? ('main danger' as const) : ('main' as const),
  }
  return {
    id: 'many',
    heading: label,
    paragraphs: [
      texts.countedParts(isDone ? 'manage.many_done' : 'manage.many_possible', possible.length),
      ...failures.map(({ id, reason }) => texts.parts('manage.many_failed', { id, reason })),
    ],
    forms: isDone || possible.length === 0 ? [] : [rest],
    links: [{ href: at, label: texts.text('manage.back_to_list') }],
  }
}
