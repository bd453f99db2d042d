import { paymentProviders } from '../domain/orders/payment.ts'
import { choice, text, withDefault } from './command.ts'
import { usage } from './failures.ts'

export const paymentOptions = {
  provider: withDefault(choice('provider', 'payment provider', paymentProviders), 'manual'),
  reference: text('text', 'payment reference of the provider; unique per order'),
}

export function requirePaymentReference(reference: string | undefined): void {
  if (reference !== undefined && (reference.trim() === '' || reference.length > 200))
    throw usage('--reference must have 1 to 200 characters')
}
