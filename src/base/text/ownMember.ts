/** Returns a member of an object; undefined for a name that the object does not have or only inherits, such as `constructor`. */
export const ownMember = <Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
