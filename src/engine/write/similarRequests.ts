import { isObject } from '../../base/text/jsonValue.ts'
import type { ApprovalSummary } from '../../database/tables/approvalSummary.ts'

/**
 * Returns what similar requests have in common: everything except the entries of lists. Entries keep the names of their members, and the values that
 * all of them share. Undefined if the body has no list, so that no other request is similar.
 */
export function commonPart(body: unknown): unknown {
  let hasList = false
  const common = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      hasList = true
      return sharedBy(value)
    }
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, common(one)])) : value
  }
  const found = common(body)
  return hasList ? found : undefined
}

function sharedBy(entries: readonly unknown[]): unknown {
  const objects = entries.filter(isObject)
  const names = [...new Set(objects.flatMap(Object.keys))].toSorted()
  const shared = names.flatMap((name) => {
    const [first, ...others] = new Set(objects.map((one) => canonical(one[name])))
    return others.length === 0 ? [[name, first]] : []
  })
  return { names, shared, areObjects: objects.length === entries.length }
}

/** True if a person can allow similar requests: none that change access, cost money, or delete for good. */
export const allowsSimilar = ({ reason, affected, undo_days }: ApprovalSummary): boolean =>
  (reason === 'outward' || reason === 'many') && (undo_days > 0 || !affected.some(({ action }) => action === 'deleted'))

/** True if a request changes and sends at most as much as the one that the person saw. */
export const isWithin = (sent: ApprovalSummary, shown: ApprovalSummary): boolean =>
  sent.emails <= shown.emails &&
  sent.undo_days >= shown.undo_days &&
  sent.affected.every(({ type, action, count }) =>
    shown.affected.some((one) => one.type === type && one.action === action && count <= one.count),
  )

/** Returns JSON with sorted members, so that equal values have equal texts. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isObject(member) && !(member instanceof Date)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  ) ?? 'null'
