import { platformKey } from '../../../test/support/platform.ts'
import type { LoadContext, LoadKind } from './context.ts'

/** A shop reports orders and payments to the platform intake of one of the processes, and repeats its reports. */
export function orders({ insist, installation, ledger, random, monitor }: LoadContext): LoadKind {
  const report = (path: string, json: object, expected: readonly number[]) => {
    // A restarted process has another private port.
    const address = (): string => `${random.pick(installation.available()).admin}/platform/v1${path}`
    const headers = { authorization: `Bearer ${platformKey}` }
    return insist({ target: 'intake', path: address, json, headers, expected })
  }
  return {
    name: 'orders',
    loops: 1,
    everyMs: 400,
    async step() {
      const [marker, since] = [ledger.mark(), performance.now()]
      const items = installation.products.map((id) => ({ type: 'digital_product', id }))
      const order = { reference: marker, buyer: { email: `${marker}@example.org`, name: 'Wren' }, items }
      const { json: made } = await report('/orders', order, [201, 200])
      if (random.chance(0.2)) {
        const { json: again } = await report('/orders', order, [201, 200])
        if (again.number !== made.number) monitor.report('intake: a repeated reference created another order')
      }
      if (random.chance(0.2)) return
      const payment = { reference: `pay-${marker}`, amount: made.total.amount, currency: 'EUR' }
      const { status, json: paid, text } = await report(`/orders/${made.number}/pay`, payment, [200, 409])
      if (status === 409) {
        if (!monitor.mayHaveLost(since, 'checkouts')) monitor.report('intake: the payment of a new order is rejected', text)
        return
      }
      ledger.invoices.set(made.number, paid.invoice_number)
      if (!random.chance(0.3)) return
      const { json: again } = await report(`/orders/${made.number}/pay`, payment, [200])
      if (again.invoice_number !== paid.invoice_number) monitor.report('intake: a repeated payment has another invoice')
    },
  }
}
