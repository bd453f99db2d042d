export const paymentProviders = ['manual', 'card', 'wallet', 'bank_transfer', 'none'] as const

/** How an order is paid. Never contains a full card number. */
export interface Payment {
  provider: (typeof paymentProviders)[number]
  /** The provider's identifier of the payment: unique per order. */
  reference?: string | null | undefined
  cardBrand?: string | null | undefined
  cardLast4?: string | null | undefined
  failureCode?: string | null | undefined
}

export const paymentColumns = ({ provider, reference, cardBrand, cardLast4, failureCode }: Payment) => ({
  payment_provider: provider,
  payment_reference: reference ?? null,
  payment: JSON.stringify({ card_brand: cardBrand ?? null, card_last4: cardLast4 ?? null, failure_code: failureCode ?? null }),
})
