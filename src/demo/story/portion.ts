/** A share of an amount in the smallest unit, rounded half up. Whole numbers only: nothing is lost on the way. */
export const portion = (amount: number, numerator: number, denominator: number): number =>
  Math.floor((2 * amount * numerator + denominator) / (2 * denominator))
