/**
 * Returns the element at an index that the list has; a negative index counts from the end.
 * @throws RangeError
 */
export function elementAt<Element>(list: readonly Element[], index: number): Element {
  const element = list.at(index)
  if (element === undefined) throw new RangeError(`the list of ${list.length} has no element ${index}`)
  return element
}
