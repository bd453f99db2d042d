import { fileUrl } from '../../base/fileUrl.ts'
import { isLinkable } from '../../base/net/webUrl.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import { escapeHtml } from '../../base/text/escapeHtml.ts'
import { freeText, momentFormat, pageLocale, priceText, withTaxNote } from '../../base/text/readerFormats.ts'
import type { StoredImage } from '../../database/statements/expressions.ts'
import { priceTaxOf } from '../orders/salesTax.ts'
import { storedHtmlOf, type TextFormat } from '../richText.ts'
import type { Block, Picture } from './pageContent.ts'
import type { LinkedContent } from './pageRendering.ts'
import { rowPath } from './rowPath.ts'

interface Site extends LinkedContent {
  issuer: string
}

/**
 * Renders the blocks of a page as HTML: a `section` each, with its type in `data-block`, and no style. Every text is escaped here or was
 * sanitised, so user input cannot become a tag, an attribute or a URL that runs code.
 */
export const renderBlocks = (blocks: readonly Block[], site: Site): string =>
  blocks.map((block) => `<section data-block="${block.type}">${inside(block, site)}</section>`).join('\n')

function inside(block: Block, site: Site): string {
  switch (block.type) {
    case 'hero': {
      const { heading, text, image, action } = block.props
      return `${image ? figure(image, site) : ''}<h1>${escapeHtml(heading)}</h1>${paragraph(text)}${action ? link(action.url, action.label) : ''}`
    }
    case 'text':
      return htmlIn(block, 0, block.props.content, block.props.content_format)
    case 'html':
      return htmlIn(block, 0, block.props.html, 'html')
    case 'image':
      return figure(block.props, site)
    case 'gallery':
      return headed(block.props, block.props.images.map((image) => figure(image, site)).join(''))
    case 'video':
      return link(block.props.url, block.props.title)
    case 'course_grid':
      return headed(
        block.props,
        list(
          coursesOf(block.props, site).map(
            ({ slug, title, subtitle, picture }) => `${image(picture, site)}${card(rowPath('courses', slug), title, subtitle)}`,
          ),
        ),
      )
    case 'lecturer_grid':
      return headed(
        block.props,
        list(
          lecturersOf(block.props, site).map(
            ({ slug, display_name, headline, picture }) =>
              `${image(picture, site)}${card(rowPath('lecturers', slug), display_name, headline)}`,
          ),
        ),
      )
    case 'plan_table':
      return headed(
        block.props,
        list(
          chosenPlans(block.props, site).map(({ slug, name, badge, prices }) => {
            const all = prices.map((price) => paragraph(planPriceText(price, site))).join('')
            return `${card(rowPath('plans', slug), name, badge)}${all}`
          }),
        ),
      )
    case 'event_list':
      return headed(
        block.props,
        list(
          site.events.slice(0, block.props.limit).map(({ slug, title, starts_at, time_zone, picture }) => {
            const time = new Date(starts_at).toISOString()
            const shown = momentFormat(pageLocale(site.locale), time_zone).format(new Date(starts_at))
            return `${image(picture, site)}${link(rowPath('events', slug), title)}<p><time datetime="${time}">${escapeHtml(shown)}</time></p>`
          }),
        ),
      )
    case 'post_list':
      return headed(
        block.props,
        list(
          postsOf(block.props, site).map(
            ({ slug, title, excerpt, picture }) => `${image(picture, site)}${card(rowPath('posts', slug), title, excerpt)}`,
          ),
        ),
      )
    case 'testimonials':
      return headed(
        block.props,
        block.props.items
          .map(
            ({ quote, name, role }) =>
              `<blockquote><p>${escapeHtml(quote)}</p><footer>${escapeHtml(role === null ? name : `${name}, ${role}`)}</footer></blockquote>`,
          )
          .join(''),
      )
    case 'faq':
      return headed(
        block.props,
        block.props.items
          .map(
            ({ question, answer }, at) =>
              `<details><summary>${escapeHtml(question)}</summary>${htmlIn(block, at, answer, 'markdown')}</details>`,
          )
          .join(''),
      )
    case 'form': {
      // A form that does not accept submissions is omitted.
      const form = site.forms.find(({ id }) => id === block.props.form_id)
      return form ? card(rowPath('forms', form.slug), form.title, form.description) : ''
    }
    case 'button':
      return link(block.props.url, block.props.label)
    case 'divider':
      return '<hr>'
  }
}

/** Returns the HTML that was stored with a text. Pages of earlier releases have none. */
const htmlIn = ({ rendered }: Block, at: number, text: string, format: TextFormat): string => rendered?.[at] ?? storedHtmlOf(text, format)

function coursesOf({ course_ids, category, limit }: Extract<Block, { type: 'course_grid' }>['props'], { courses }: Site) {
  const chosen = course_ids.length > 0 ? course_ids.flatMap((id) => courses.find((course) => course.id === id) ?? []) : courses
  return chosen.filter((course) => category === null || course.category === category).slice(0, limit)
}

function lecturersOf({ lecturer_ids, limit }: Extract<Block, { type: 'lecturer_grid' }>['props'], { lecturers }: Site) {
  const chosen = lecturer_ids.length > 0 ? lecturer_ids.flatMap((id) => lecturers.find((one) => one.id === id) ?? []) : lecturers
  return chosen.slice(0, limit)
}

function chosenPlans({ plan_ids }: Extract<Block, { type: 'plan_table' }>['props'], { plans }: Site) {
  return plan_ids.length > 0 ? plan_ids.flatMap((id) => plans.find((plan) => plan.id === id) ?? []) : plans
}

function postsOf({ tag, limit }: Extract<Block, { type: 'post_list' }>['props'], { posts }: Site) {
  return posts.filter(({ tags }) => tag === null || tags.map(comparisonForm).includes(comparisonForm(tag))).slice(0, limit)
}

/** Renders a picture. Returns nothing if its file was deleted or is no longer public. */
function figure({ file_id, alt, caption }: Picture, { files, issuer }: Site): string {
  const file = files.find(({ id }) => id === file_id)
  if (!file) return ''
  const source = escapeHtml(`${issuer}/files/${file.id}/${encodeURIComponent(file.filename)}`)
  const below = caption === null ? '' : `<figcaption>${escapeHtml(caption)}</figcaption>`
  return `<figure><img src="${source}" alt="${escapeHtml(alt ?? file.alt ?? '')}"${sizeOf(file)} loading="lazy">${below}</figure>`
}

/** Renders the picture of a row that a list shows. */
function image(picture: StoredImage | null, site: Site): string {
  if (picture === null) return ''
  const source = escapeHtml(fileUrl(site, { id: picture.file_id, filename: picture.filename }))
  return `<img src="${source}" alt="${escapeHtml(picture.alt ?? '')}"${sizeOf(picture)} loading="lazy">`
}

const sizeOf = ({ width, height }: Pick<StoredImage, 'width' | 'height'>): string =>
  width === null || height === null ? '' : ` width="${width}" height="${height}"`

/** Adds the heading of a block. A block without content has none. */
const headed = ({ heading }: { heading: string | null }, content: string): string =>
  `${heading === null || content === '' ? '' : `<h2>${escapeHtml(heading)}</h2>`}${content}`

const planPriceText = (price: Site['plans'][number]['prices'][number], { locale, tax }: Site): string =>
  price.amount === 0 ? freeText(locale) : withTaxNote(priceText(price, pageLocale(locale)), priceTaxOf(tax ?? undefined), locale)

const paragraph = (text: string | null): string => (text === null ? '' : `<p>${escapeHtml(text)}</p>`)

const list = (items: readonly string[]): string =>
  items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`

const card = (path: string, title: string, line: string | null): string => `${link(path, title)}${paragraph(line)}`

// Checked again here, because stored content may be older than the rule.
const link = (url: string, label: string): string => {
  const isSafe = isLinkable(url) || /^\/(?![/\\])/.test(url)
  return isSafe ? `<a href="${escapeHtml(url)}" rel="noopener noreferrer">${escapeHtml(label)}</a>` : escapeHtml(label)
}
