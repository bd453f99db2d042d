import type { Context } from 'koa'
import type { TextKey } from '../texts.ts'
import type { AccountPresenter } from './accountPresenter.ts'

/** Answers a mailed link that is good for nothing: used, expired, of another school, or never made. All of them look the same. */
export async function showLinkEnded(ctx: Context, present: AccountPresenter, again: { path: string; label: TextKey }): Promise<void> {
  const { texts } = await present.pageContext(ctx)
  ctx.status = 410
  return present.message(ctx, {
    // Without the token: what was wrong with it is nobody's business.
    again: ctx.path,
    title: texts.text('link_ended.title'),
    heading: texts.text('link_ended.heading'),
    paragraphs: [texts.parts('link_ended.explanation', {})],
    links: [{ href: again.path, label: texts.text(again.label) }],
  })
}

/** The token of a mailed link, from the address that it opened or the form that it showed; empty where there is none. */
export const linkToken = (value: unknown): string => (typeof value === 'string' ? value : '')
