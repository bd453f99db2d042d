export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

export function objectOf(value: unknown): JsonObject {
  if (!isObject(value)) throw new TypeError('expected a JSON object')
  return value
}

export function objectsOf(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) throw new TypeError('expected an array')
  return value.map(objectOf)
}
