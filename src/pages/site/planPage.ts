import { accountPaths } from '../../base/accountPaths.ts'
import type { SiteAction } from '../../base/sitePage.ts'
import { textOfHtml } from '../../base/text/sanitisedHtml.ts'
import { sitePath } from '../../engine/sitePaths.ts'
import type { Plan } from '../../school/apiRows.ts'
import { askText } from './courseOffer.ts'
import { priceNode, type SiteContext, schoolNode, siteLink, siteType } from './siteType.ts'
import { activePrices, planPriceText, planPrices as pricesOf } from './valueTexts.ts'

export const planPages = siteType({
  list: (source, parameters) => source.list('listPlans', { ...parameters, fields: 'id,name,slug,prices,badge,benefits' }),
  published: { status: 'active', visibility: 'public' },
  one: (source, idOrSlug) => source.get('getPlan', { id_or_slug: idOrSlug }),
  item(plan, context) {
    return {
      link: siteLink('plans', { slug: plan.slug, label: plan.name }),
      line: plan.badge ?? undefined,
      details: [...(isMine(plan, context) ? [context.texts.text('site.yours')] : []), ...pricesOf(plan, context)],
      list: plan.benefits,
      button: context.texts.text(isMine(plan, context) ? 'site.manage_membership' : 'site.choose_plan'),
      picture: undefined,
    }
  },
  page(plan, context) {
    const { texts, schoolName } = context
    const { slug, name } = plan
    const description =
      textOfHtml(plan.description_html ?? '', 160) || texts.text('site.plan_description', { title: name, school: schoolName })
    const isOwn = isMine(plan, context)
    const actions = isOwn ? [{ href: accountPaths.membership, label: texts.text('site.manage_membership') }] : joinActions(plan, context)
    return {
      slug,
      title: name,
      description,
      isIndexed: true,
      heading: name,
      lead: plan.badge ?? undefined,
      notices: isOwn
        ? [texts.text('site.your_plan')]
        : actions.length === 0 && activePrices(plan).some(({ amount: { amount } }) => amount > 0)
          ? [askText(context)]
          : [],
      prices: [
        {
          label: texts.text('site.price'),
          value: new Intl.ListFormat(texts.language, { type: 'disjunction' }).format(pricesOf(plan, context)),
        },
      ].filter(({ value }) => value !== ''),
      actions,
      sections: [
        { heading: texts.text('site.benefits'), list: plan.benefits },
        { heading: texts.text('site.about_plan'), html: plan.description_html ?? undefined },
      ],
      data: [planNode(plan, description, context)],
    }
  },
})

const isMine = ({ id }: Pick<Plan, 'id'>, { viewer }: SiteContext): boolean =>
  viewer?.subscriptions.some(({ plan_id }) => plan_id === id) ?? false

/** Returns a link to the checkout for each price; one link if the checkout does not take a price. */
function joinActions(plan: Plan, context: SiteContext): SiteAction[] {
  const { texts, checkoutOf } = context
  const links = activePrices(plan).flatMap((price, _index, { length }) => {
    const href = checkoutOf({ type: 'membership_plan', id: plan.id, price: price.id })
    const label = length > 1 ? texts.text('site.join_for', { price: planPriceText(price, context) }) : texts.text('site.join')
    return href === undefined ? [] : [{ href, label }]
  })
  const [first] = links
  const isOneAddress = first !== undefined && links.every(({ href }) => href === first.href)
  return isOneAddress ? [{ ...first, label: texts.text('site.join') }] : links
}

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
