import { code, document, link, Markdown, markdown, table } from './markdown.ts'
import { type OfferSection, offerSections } from './offers.ts'
import { type SchoolAbout, schoolAbout } from './schoolAbout.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'

/** Renders `/pricing.md`: the offers that a visitor sees now, and the operator's note. */
export async function pricingMd(facts: SchoolFacts): Promise<string> {
  const [about, sections] = await Promise.all([schoolAbout(facts), offerSections(facts)])
  const { issuer, pricingNote } = facts
  const questions = [about.support_url && link('help', about.support_url), about.contact_email && code(about.contact_email)]
  return document([
    markdown`# Pricing of ${about.name}`,
    markdown`> What ${about.name} sells, as visitors see it. As of ${today()} (UTC).`,
    markdown`Free courses and products are not listed here. The API is free: see ${link('auth.md', issuer + paths.authMd)}.`,
    taxNotes[about.tax_mode],
    ...(sections.length === 0 ? [markdown`The school currently has no offers.`] : sections.flatMap(rendered)),
    pricingNote === undefined ? undefined : new Markdown(`## Notes\n\n${pricingNote.trim()}`),
    ...contact(questions.filter((one) => one instanceof Markdown)),
  ])
}

const taxNotes: Readonly<Record<SchoolAbout['tax_mode'], Markdown | undefined>> = {
  inclusive: markdown`Prices include VAT.`,
  exclusive: markdown`VAT is added to the prices at the checkout.`,
  none: undefined,
}

const today = (): string => new Date().toISOString().slice(0, 10)

function rendered({ title, list, offers, isAll }: OfferSection): (Markdown | undefined)[] {
  const heading = markdown`## ${title}`
  if (offers.length === 0) return [heading, markdown`Currently none.`]
  return [
    heading,
    table(
      ['Name', 'Price', 'Currency', 'Period', 'Notes', 'Buy'],
      offers.map(({ name, price, address, checkout }) => [
        address ? link(name, address) : name,
        price.amount,
        price.currency,
        price.period,
        price.notes.join('; '),
        checkout ? link('checkout', checkout) : '',
      ]),
    ),
    isAll ? undefined : markdown`There are more: ${link(title, list)}.`,
  ]
}

const contact = (ways: readonly Markdown[]): Markdown[] =>
  ways.length === 0 ? [] : [markdown`## Questions`, new Markdown(ways.map(({ text }) => `- ${text}`).join('\n'))]
