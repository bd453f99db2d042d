import { z } from 'zod'
import { markupExcess, markupLimitsText } from '../../lib/markupLimits.ts'

/** What documents say of a text, and how long it may be. */
interface Said {
  max: number
  description: string
  example: string
  gated?: true
}

/** A text in Markdown or HTML that can be rendered in bounded time. Its description says so: `markupText(max, 'The text.')`. */
export const markupText = (max: number, description: string): z.ZodString =>
  z
    .string()
    .max(max)
    .refine((text) => markupExcess(text) === undefined, { error: ({ input }) => markupExcess(String(input)) })
    .meta({ description: `${description} ${markupLimitsText}` })

/** How a text is written. */
export const textFormat = (description: string) =>
  z.enum(['markdown', 'html']).default('markdown').meta({ description, example: 'markdown' })

type RichText<Name extends string> = { [Text in Name]: z.ZodNullable<z.ZodString> } & {
  [Format in `${Name}_format`]: ReturnType<typeof textFormat>
} & { [Html in `${Name}_html`]: z.ZodNullable<z.ZodString> }

/** The three fields of a text that people write: `bio`, `bio_format`, and `bio_html`, which is never sent. */
export const richText = <Name extends string>(name: Name, { max, description, example, gated }: Said) =>
  ({
    [name]: markupText(max, description)
      .nullable()
      .meta({ description: `${description} ${markupLimitsText}`, example, gated }),
    [`${name}_format`]: textFormat(`How \`${name}\` is written.`),
    [`${name}_html`]: z
      .string()
      .nullable()
      .meta({ description: `\`${name}\` as HTML that is safe to show.`, example: `<p>${example}</p>`, gated }),
  }) as unknown as RichText<Name>
