import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'
import { Problem } from '../../base/problem.ts'

export interface CataloguePrompt {
  listing: Prompt
  needs: readonly string[]
  /** Values of an argument, or the list whose slugs are its values. */
  completions?: Readonly<Record<string, readonly string[] | string>>
  text(values: Readonly<Record<string, string | undefined>>): string
}

const longest = 500

const all: readonly CataloguePrompt[] = [
  {
    listing: {
      name: 'recommend_course',
      title: 'Recommend a course',
      description: 'Find the courses of this school that fit a goal.',
      arguments: [
        { name: 'goal', description: 'Goal of the person.', required: true },
        { name: 'level', description: 'Level of the person: beginner, intermediate or advanced.' },
        { name: 'budget', description: 'Maximum price, with the currency.' },
      ],
    },
    needs: ['search_catalog', 'list_courses', 'get_course'],
    completions: { level: ['beginner', 'intermediate', 'advanced'] },
    text: ({ goal, level, budget }) =>
      [
        `Recommend courses of this school to a person with this goal: ${quoted(goal)}.`,
        ...(level === undefined ? [] : [`Level: ${quoted(level)}.`]),
        ...(budget === undefined ? [] : [`Maximum price: ${quoted(budget)}. Amounts are in the smallest unit of the currency.`]),
        'Use search_catalog and list_courses to find candidates and get_course to read the best of them.',
        'Name at most three, each with its title, price and the reason. Say so if none fits.',
      ].join('\n'),
  },
  {
    listing: {
      name: 'compare_plans',
      title: 'Compare the membership plans',
      description: 'Compare the membership plans of this school.',
      arguments: [{ name: 'needs', description: 'Needs of the person.' }],
    },
    needs: ['list_plans'],
    text: ({ needs }) =>
      [
        'Compare the membership plans of this school.',
        ...(needs === undefined ? [] : [`Needs of the person: ${quoted(needs)}.`]),
        'Use list_plans, and get_plan for details.',
        'Make one table of prices, periods and benefits. Then say which plan suits which needs.',
      ].join('\n'),
  },
  {
    listing: {
      name: 'plan_my_week',
      title: 'Plan a week of learning',
      description: 'Spread a course over the hours that a person has each week.',
      arguments: [
        { name: 'course', description: 'Slug or id of the course.', required: true },
        { name: 'hours_per_week', description: 'Hours per week.', required: true },
      ],
    },
    needs: ['get_course'],
    completions: { course: 'courses' },
    text: ({ course, hours_per_week: hours }) =>
      [
        `Plan the weeks of a person who takes the course ${quoted(course)} and has ${quoted(hours)} hours a week.`,
        'Use get_course for its length, and the tool for its curriculum if there is one.',
        'Name what to do in each week. Leave room for practice, and say which lengths are estimates.',
      ].join('\n'),
  },
]

export const cataloguePrompts = (tools: ReadonlySet<string>): CataloguePrompt[] =>
  all.filter(({ needs }) => needs.every((tool) => tools.has(tool)))

/** @throws Problem invalid_parameter for an argument that is missing, unknown or too long */
export function promptMessages(
  { listing, text }: CataloguePrompt,
  values: Readonly<Record<string, string>>,
): Pick<GetPromptResult, 'messages' | 'description'> {
  const declared = listing.arguments ?? []
  const missing = declared.find(({ name, required }) => required && !values[name]?.trim())
  const unknown = Object.keys(values).find((name) => !declared.some((one) => one.name === name))
  const long = Object.entries(values).find(([, value]) => value.length > longest)
  const takes = `${listing.name} takes ${declared.map(({ name, required }) => (required ? name : `${name} (optional)`)).join(', ')}.`
  if (missing) throw new Problem('invalid_parameter', { description: `The argument ${missing.name} is missing. ${takes}` })
  if (unknown !== undefined)
    throw new Problem('invalid_parameter', { description: `There is no argument ${unknown.slice(0, 100)}. ${takes}` })
  if (long) throw new Problem('invalid_parameter', { description: `The argument ${long[0]} is longer than ${longest} characters.` })
  return {
    ...(listing.description !== undefined && { description: listing.description }),
    messages: [{ role: 'user', content: { type: 'text', text: text(values) } }],
  }
}

/** Keeps the person's text separate from the text of the prompt. */
const quoted = (value: string | undefined): string => JSON.stringify(value ?? '')
