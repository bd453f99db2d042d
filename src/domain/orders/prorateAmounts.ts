/**
 * Divides an amount over lines in the ratio of their weights: whole units, none lost, no line more than its weight.
 * @param amount not more than the sum of the weights
 */
export function shares(amount: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + BigInt(weight), 0n)
  if (sum === 0n) return weights.map(() => 0)
  let weighed = 0n
  let given = 0n
  return weights.map((weight) => {
    weighed += BigInt(weight)
    const upToHere = (BigInt(amount) * weighed) / sum
    const share = upToHere - given
    given = upToHere
    return Number(share)
  })
}

/** `amount × part ÷ whole`, half a unit rounded up. */
export const portion = (amount: number, part: number, whole: number): number =>
  Number((2n * BigInt(amount) * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole)))
