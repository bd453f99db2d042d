/** Returns a function that creates a value on its first call. An attempt that failed is repeated by the next call. */
export function lazily<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let created: Promise<Value> | undefined
  return () => {
    created ??= create().catch((error: unknown) => {
      created = undefined
      throw error
    })
    return created
  }
}

/** Returns a function that creates a value on its first call, and returns the same value on every later one. */
export function onFirstUse<Value>(create: () => Value): () => Value {
  let created: { value: Value } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
