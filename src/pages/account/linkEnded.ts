import type { Context } from 'koa'
import type { TextKey } from '../texts.ts'
import type { AccountPresenter } from './accountPresenter.ts'

/** Shows the same page for every invalid link of an e-mail: used, expired, of another school, or unknown. */
export async function showLinkEnded(ctx: Context, present: AccountPresenter, again: { path: string; label: TextKey }): Promise<void> {
  const { texts } = await present.pageContext(ctx)
  ctx.status = 410
  return present.message(ctx, {
    // Without the token of the query.
    again: ctx.path,
    title: texts.text('link_ended.title'),
    heading: texts.text('link_ended.heading'),
    paragraphs: [texts.parts('link_ended.explanation', {})],
    links: [{ href: again.path, label: texts.text(again.label) }],
  })
}

/** Returns the token of an e-mail link, from the query or from the form; empty if there is none. */
export const linkToken = (value: unknown): string => (typeof value === 'string' ? value : '')
