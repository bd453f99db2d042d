import type { Context } from 'koa'
import type { AccountPresenter } from './accountPresenter.ts'

/** Answers a mailed link that is good for nothing: used, expired, of another school, or never made. All of them look the same. */
export function showLinkEnded(ctx: Context, present: AccountPresenter, again: { href: string; label: string }): Promise<void> {
  const { texts } = present
  ctx.status = 410
  return present.message(ctx, {
    title: texts.text('link_ended.title'),
    heading: texts.text('link_ended.heading'),
    paragraphs: [texts.parts('link_ended.explanation', {})],
    links: [again],
  })
}

/** The token of a mailed link, from the address that it opened or the form that it showed; empty where there is none. */
export const linkToken = (value: unknown): string => (typeof value === 'string' ? value : '')
