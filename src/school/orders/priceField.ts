import { moneyColumns, moneyOf } from '../../engine/declare/fields.ts'

type PriceRow<Name extends string> = { [Column in `${Name}_amount`]: number | string | null } & {
  [Column in `${Name}_currency`]: string | null
}

/** Derives a price from the columns `<name>_amount` and `<name>_currency`. */
export function priceField<Name extends 'price' | 'compare_at'>(name: Name) {
  return {
    from: [`${name}_amount`, `${name}_currency`] as const,
    of: (row: PriceRow<Name>) => moneyOf(row[`${name}_amount`], row[`${name}_currency`]),
    write: (price: { amount: number; currency: string } | null) => moneyColumns(name, price),
  }
}
