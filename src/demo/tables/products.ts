import { htmlOf } from '../../domain/richText.ts'
import { cyclicElement } from '../../lib/elementAt.ts'
import { day, inOrder } from '../calendar.ts'
import type { Activity } from '../generate/activity.ts'
import { isPaid } from '../generate/orders.ts'
import { products } from '../products.ts'
import { schoolRow } from '../school.ts'
import { type Context, dateOf } from './context.ts'

export function productRows(context: Context, { orders, learners }: Activity, fileIds: (product: number) => readonly string[]) {
  const { now, id, base, personId } = context
  const sold = orders
    .filter(isPaid)
    .flatMap((order) => order.lines.flatMap(({ type, product }) => (type === 'digital_product' ? [{ order, product }] : [])))
  const gifts = learners
    .filter(({ isInvited, is_student }) => is_student && !isInvited)
    .filter((_, index) => index % 55 === 7)
    .slice(0, 6)
    .map((learner, index) => ({ at: learner.at + 5 * day, number: 0, learner, product: cyclicElement([1, 5, 6], index), order: null }))
    .filter(({ learner, product }) => !sold.some((one) => one.order.learner === learner && one.product === product))
  const grants = inOrder([
    ...sold.map(({ order, product }) => ({ at: order.at, number: 0, learner: order.learner, product, order })),
    ...gifts,
  ])
  const files = products.flatMap(({ files: own }, product) =>
    own.flatMap((file, position) => {
      const fileId = fileIds(product)[position]
      return fileId ? [{ file, fileId, product, position }] : []
    }),
  )
  const madeAt = (number: number): number => now - (386 - number) * day
  return {
    products: products.map(({ files: _files, tags, ...product }, number) => ({
      ...base('digital_product', { at: madeAt(number), number }),
      ...product,
      tags: [...tags],
      description_html: htmlOf(product.description, 'markdown'),
      price_currency: product.price_amount === null ? null : schoolRow.currency,
      sales_count: sold.filter((one) => one.product === number && one.order.status !== 'refunded').length,
      position: number,
      published_at: product.status === 'published' ? new Date(madeAt(number) + day) : null,
    })),
    files: files.map(({ file, fileId, product, position }, number) => ({
      ...base('product_file', { at: madeAt(product), number }),
      product_id: id('digital_product', product),
      file_id: fileId,
      title: file.title,
      position,
    })),
    grants: grants.map((grant, number) => {
      const revokedAt = grant.order?.status === 'refunded' ? grant.order.refunds[0]?.at : null
      return {
        ...base('product_grant', grant, revokedAt),
        product_id: id('digital_product', grant.product),
        person_id: personId(grant.learner),
        source: grant.order ? 'purchase' : 'manual',
        order_id: grant.order && id('order', grant.order.number),
        note: grant.order ? null : 'A thank-you for the open evening.',
        downloads_count: revokedAt ? 0 : number % 4,
        granted_at: new Date(grant.at),
        revoked_at: dateOf(revokedAt),
      }
    }),
  }
}
