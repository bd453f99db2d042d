import { priceText, withTaxNote } from '../../domain/localFormats.ts'
import { textOfHtml } from '../../lib/sanitisedHtml.ts'
import { sitePath } from '../../resources/sitePaths.ts'
import { planItemRow, planRow } from '../../resources/siteRows.ts'
import { priceNode, type SiteContext, type SiteType, schoolNode, siteLink } from './siteType.ts'

type Plan = ReturnType<typeof planRow.parse>

/** The pages of membership plans. */
export const planPages: SiteType = {
  list: { fields: 'name,slug,prices,badge,benefits' },
  one: {},
  item(row, context) {
    const plan = planItemRow.parse(row)
    return {
      link: siteLink('plans', { slug: plan.slug, label: plan.name }),
      line: plan.badge ?? undefined,
      details: pricesOf(plan, context),
      picture: undefined,
    }
  },
  page(row, context) {
    const { texts, schoolName } = context
    const plan = planRow.parse(row)
    const { slug, name } = plan
    const description =
      textOfHtml(plan.description_html ?? '', 160) || texts.text('site.plan_description', { title: name, school: schoolName })
    const checkout = context.checkoutOf({ type: 'membership_plan', id: plan.id })
    return {
      slug,
      title: name,
      description,
      isIndexed: true,
      heading: name,
      lead: plan.badge ?? undefined,
      facts: pricesOf(plan, context).map((value, index) => ({
        label: index === 0 ? texts.text('site.price') : texts.text('site.or'),
        value,
      })),
      actions: checkout === undefined ? [] : [{ href: checkout, label: texts.text('site.join') }],
      sections: [
        { heading: texts.text('site.benefits'), list: plan.benefits },
        { heading: texts.text('site.about_plan'), html: plan.description_html ?? undefined },
      ],
      data: [planNode(plan, description, context)],
    }
  },
}

const activePrices = ({ prices }: Pick<Plan, 'prices'>) => prices.filter(({ active }) => active)

const pricesOf = (plan: Pick<Plan, 'prices'>, { texts, tax }: SiteContext): string[] =>
  activePrices(plan).map(({ amount: { amount, currency }, interval, interval_count }) =>
    amount === 0
      ? texts.text('site.free')
      : withTaxNote(priceText({ amount, currency, interval, interval_count }, texts.language), tax, texts.language),
  )

function planNode(plan: Plan, description: string, context: SiteContext) {
  const url = context.issuer + sitePath('plans', plan.slug)
  return {
    '@type': 'Product',
    '@id': url,
    url,
    name: plan.name,
    description,
    brand: schoolNode(context),
    offers: activePrices(plan).map(({ amount }) => ({
      '@type': 'Offer',
      url,
      ...priceNode(amount, context),
    })),
  }
}
