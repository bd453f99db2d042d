/** A JSON object. */
export type JsonObject = Record<string, unknown>

/** True for a JSON object; false for null and arrays. */
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws TypeError if the value is not a JSON object */
export function objectOf(value: unknown): JsonObject {
  if (!isObject(value)) throw new TypeError('expected a JSON object')
  return value
}

/** @throws TypeError if the value is not an array of JSON objects */
export function objectsOf(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) throw new TypeError('expected an array')
  return value.map(objectOf)
}

/** Returns the members of a JSON object whose values are objects. */
export const objectEntries = (value: unknown): [name: string, member: JsonObject][] =>
  Object.entries(objectOf(value)).map(([name, member]) => [name, objectOf(member)])
