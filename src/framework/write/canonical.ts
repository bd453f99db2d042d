import { isObject } from './mergePatch.ts'

/** JSON with sorted members: the same text for the same value. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isObject(member) && !(member instanceof Date)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  ) ?? 'null'
