export interface CheckoutItem {
  type: 'course' | 'digital_product' | 'membership_plan' | 'event'
  id: string
  /** Public id of the price of a plan. */
  price?: string
}

/** Returns the checkout URL of an item from the template in the school's file: `{type}`, `{id}`, `{price}` and `{code}` are replaced. */
export const checkoutAddress = (
  template: string,
  { type, id, price = '' }: { type: string; id: string; price?: string },
  code = '',
): string =>
  template
    .replaceAll('{type}', encodeURIComponent(type))
    .replaceAll('{id}', encodeURIComponent(id))
    .replaceAll('{price}', encodeURIComponent(price))
    .replaceAll('{code}', encodeURIComponent(code))
