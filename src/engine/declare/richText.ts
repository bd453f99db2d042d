import { z } from 'zod'
import { markupExcess, markupLimitsText } from '../../base/text/markupLimits.ts'

interface Said {
  max: number
  description: string
  example: string
  gated?: true
}

/** Returns the schema of a text in Markdown or HTML that can be rendered in bounded time; its description names the limits. */
export const markupText = (max: number, description: string): z.ZodString =>
  z
    .string()
    .max(max)
    .refine((text) => markupExcess(text) === undefined, { error: ({ input }) => markupExcess(String(input)) })
    .meta({ description: `${description} ${markupLimitsText}` })

export const textFormat = (description: string) =>
  z.enum(['markdown', 'html']).meta({ component: 'ContentFormat' }).default('markdown').meta({ description, example: 'markdown' })

type RichText<Name extends string> = { [Text in Name]: z.ZodNullable<z.ZodString> } & {
  [Format in `${Name}_format`]: ReturnType<typeof textFormat>
} & { [Html in `${Name}_html`]: z.ZodNullable<z.ZodString> }

/** Returns the three fields of a rich text: `bio`, `bio_format`, and the read-only `bio_html`. */
export const richText = <Name extends string>(name: Name, { max, description, example, gated }: Said) =>
  ({
    [name]: markupText(max, description)
      .nullable()
      .meta({ description: `${description} ${markupLimitsText}`, example, gated }),
    [`${name}_format`]: textFormat(`How \`${name}\` is written.`),
    [`${name}_html`]: z
      .string()
      .nullable()
      .meta({ description: `\`${name}\` as sanitised HTML.`, example: `<p>${example}</p>`, gated }),
  }) as unknown as RichText<Name>
