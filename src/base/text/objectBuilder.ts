export type MemberOf<First, Second> = readonly [name: string, value: (first: First, second: Second) => unknown]

/**
 * Returns a function that builds an object with these members, in this order. It is compiled to one object literal, on the first call: adding
 * the members one by one, under names that are in variables, takes ten times as long for the rows of a list. The names are those of
 * declarations, and the compiled text contains them as string literals only.
 */
export function objectBuilder<First, Second = void>(
  members: readonly MemberOf<First, Second>[],
): (first: First, second: Second) => Record<string, unknown> {
  if (members.some(([name]) => name === '__proto__')) throw new Error('a member cannot be named __proto__')
  let build: ((first: First, second: Second) => Record<string, unknown>) | undefined
  return (first, second) => {
    build ??= compiled(members)
    return build(first, second)
  }
}

function compiled<First, Second>(members: readonly MemberOf<First, Second>[]): (first: First, second: Second) => Record<string, unknown> {
  const values = members.map((_, index) => `value${index}`)
  const literal = members.map(([name], index) => `${JSON.stringify(name)}: value${index}(first, second)`)
  const create = new Function(...values, `return (first, second) => ({ ${literal.join(', ')} })`)
  return create(...members.map(([, value]) => value))
}
