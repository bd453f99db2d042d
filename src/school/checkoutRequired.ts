import { Problem } from '../base/problem.ts'
import type { School } from '../base/school.ts'
import type { CheckoutItem } from '../engine/checkout.ts'
import type { ExternalServices } from '../engine/externalServices.ts'

/**
 * Returns the error for an item that must be paid first (422 `checkout_required`). `details[0].meta` contains the item, and `checkout_url`
 * if the school has a checkout.
 * @param meta additional members of `meta`, such as a quote
 */
export function checkoutRequired(
  { externalServices, school }: { externalServices: Pick<ExternalServices, 'checkoutAddress'>; school: School },
  item: CheckoutItem,
  { code, meta = {} }: { code?: string; meta?: Record<string, unknown> } = {},
): Problem {
  const address = externalServices.checkoutAddress(school, item, code)
  return new Problem('checkout_required', {
    ...(address === undefined && { description: 'Payment required. The school takes payments on its own site.' }),
    details: [
      {
        code: 'payment_needed',
        message: address === undefined ? 'Ask the school how to pay.' : 'Open checkout_url in a browser to pay.',
        meta: { item, checkout_url: address ?? null, ...meta },
      },
    ],
  })
}
