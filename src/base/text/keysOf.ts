/** Returns the keys of an object that has exactly the keys of its type and at least one. */
export function keysOf<Key extends string>(object: Readonly<Record<Key, unknown>>): [Key, ...Key[]] {
  // Object.keys returns string[], because other objects may have more keys than their type.
  return Object.keys(object) as [Key, ...Key[]]
}
