import { accountPaths } from '../../base/accountPaths.ts'
import type { Order } from '../../school/apiRows.ts'
import { plainText } from '../plainText.ts'
import { money } from '../site/valueTexts.ts'
import { contentPart, type Texts } from '../texts.ts'
import type { AccountItem } from './accountPage.ts'
import { buyerFilter } from './learning/ownLists.ts'
import type { OwnPage } from './ownPage.ts'
import type { OperationFile } from './ownPages.ts'

/** The page of the orders of a person, with their receipts, invoices and credit notes. */
export const ordersPage: OwnPage<readonly Order[]> = {
  path: accountPaths.orders,
  notices: {},
  async read(request) {
    const buyer = await buyerFilter(request)
    return buyer ? await request.list('orders', 'listOrders', buyer) : []
  },
  build: ({ texts }, orders) => ({
    title: 'orders.title',
    heading: texts.text('orders.heading'),
    sections: [
      {
        id: 'orders',
        heading: texts.text('orders.list'),
        paragraphs: orders.length > 0 ? [] : [texts.parts('orders.none', {})],
        items: orders.map((order) => itemOf(order, texts)),
      },
    ],
  }),
}

/** The documents of an order, as the API returns them in HTML. */
export const orderFiles: readonly OperationFile[] = [
  { path: `${accountPaths.orders}/:id/invoice`, operation: 'getInvoice', type: 'text/html' },
  { path: `${accountPaths.orders}/:id/receipt`, operation: 'getReceipt', type: 'text/html' },
  { path: `${accountPaths.orders}/:id/credit-notes/:refund_id`, operation: 'getCreditNote', type: 'text/html' },
]

function itemOf(order: Order, texts: Texts): AccountItem {
  const path = `${accountPaths.orders}/${order.id}`
  const time = order.paid_at ?? order.placed_at
  const number = (count: number, title: string): string => (count > 1 ? `${count} × ${title}` : title)
  return {
    id: order.id,
    title: [contentPart(order.items.map(({ title, quantity }) => number(quantity, plainText(title, 160))).join(', '))],
    mark: texts.text(`orders.status_${order.status}`),
    lines: [
      texts.parts('orders.number', { number: order.number, date: time === null ? '' : texts.date(new Date(time)) }),
      texts.parts('orders.total', { total: money(order.total, texts) }),
      ...(order.refunded_total.amount > 0 ? [texts.parts('orders.refunded', { total: money(order.refunded_total, texts) })] : []),
    ],
    links: [
      ...(order.invoice_number === null ? [] : [{ href: `${path}/invoice`, label: texts.text('orders.invoice') }]),
      ...(order.receipt_number === null ? [] : [{ href: `${path}/receipt`, label: texts.text('orders.receipt') }]),
      ...order.refunds.flatMap(({ id, credit_note_number: note }) =>
        note === null ? [] : [{ href: `${path}/credit-notes/${id}`, label: texts.text('orders.credit_note', { number: note }) }],
      ),
    ],
  }
}
