import { isObject } from '../../lib/jsonValue.ts'

/** Applies a merge patch to the target (RFC 7396 section 2): null removes, objects are merged, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  // Object.fromEntries treats __proto__ as an ordinary member; an assignment would not.
  return Object.fromEntries(merged)
}
