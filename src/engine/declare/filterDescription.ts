import { z } from 'zod'
import type { Filter, FilterOperator } from './filters.ts'

export const filterDescription = ({ name, description, value }: Filter, operator: FilterOperator): string =>
  `${comparison(name, operator, value)}. ${sentence(description)}`

function comparison(name: string, operator: FilterOperator, value: z.ZodType): string {
  switch (operator) {
    case 'equals':
      return `Filter by ${name}${value instanceof z.ZodBoolean ? '' : ': any of these values'}`
    case 'exists':
      return `Rows with a value in ${name} (true) or without one (false)`
    case 'prefix':
      return `Rows whose ${name} begins with this text`
    default:
      return `Rows with ${name} ${(value instanceof z.ZodNumber ? numberWords : timeWords)[operator]}`
  }
}

const timeWords = { gt: 'after this time', gte: 'at this time or later', lt: 'before this time', lte: 'at this time or earlier' } as const
const numberWords = { gt: 'greater than this', gte: 'of at least this', lt: 'less than this', lte: 'of at most this' } as const

/** Returns the text as a sentence. Declarations describe fields in sentences, and custom filters in phrases. */
export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
