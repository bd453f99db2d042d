/**
 * Divides an amount over lines in the ratio of their weights: in whole units, without a remainder, and never more than the weight of a line.
 * @param amount at most the sum of the weights
 */
export function prorateAmounts(amount: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + BigInt(weight), 0n)
  if (sum === 0n) return weights.map(() => 0)
  let weightSoFar = 0n
  let amountSoFar = 0n
  return weights.map((weight) => {
    weightSoFar += BigInt(weight)
    const next = (BigInt(amount) * weightSoFar) / sum
    const share = next - amountSoFar
    amountSoFar = next
    return Number(share)
  })
}

/** Returns `amount × part ÷ whole`, with half a unit rounded up. */
export const portion = (amount: number, part: number, whole: number): number =>
  Number((2n * BigInt(amount) * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole)))
