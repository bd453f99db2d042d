import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'
import { Problem } from '../lib/problem.ts'

/** A question that the catalogue's tools answer together. */
interface CataloguePrompt {
  listing: Prompt
  /** Tools without which it makes no sense. */
  needs: readonly string[]
  text(values: Readonly<Record<string, string | undefined>>): string
}

const longest = 500

const all: readonly CataloguePrompt[] = [
  {
    listing: {
      name: 'recommend_course',
      title: 'Recommend a course',
      description: 'Finds the courses of this school that suit a goal.',
      arguments: [
        { name: 'goal', description: 'What the person wants to be able to do.', required: true },
        { name: 'level', description: 'What they know already: beginner, intermediate or advanced.' },
        { name: 'budget', description: 'What it may cost, with the currency.' },
      ],
    },
    needs: ['search_catalog', 'list_courses', 'get_course'],
    text: ({ goal, level, budget }) =>
      [
        `Recommend courses of this school to somebody whose goal is: ${quoted(goal)}.`,
        ...(level === undefined ? [] : [`What they know already: ${quoted(level)}.`]),
        ...(budget === undefined
          ? []
          : [`What it may cost: ${quoted(budget)}. Amounts of prices are in the smallest unit of the currency.`]),
        'Use search_catalog and list_courses to find candidates and get_course to read the best of them.',
        'Name at most three, each with its title, price and the reason, and say so where none fits.',
      ].join('\n'),
  },
  {
    listing: {
      name: 'compare_plans',
      title: 'Compare the membership plans',
      description: 'Puts the membership plans of this school side by side.',
      arguments: [{ name: 'needs', description: 'What matters to the person.' }],
    },
    needs: ['list_plans'],
    text: ({ needs }) =>
      [
        'Compare the membership plans of this school.',
        ...(needs === undefined ? [] : [`What matters to the person: ${quoted(needs)}.`]),
        'Use list_plans, and get_plan where something is missing.',
        'Make one table of prices, periods and benefits. Then say which plan suits whom.',
      ].join('\n'),
  },
  {
    listing: {
      name: 'plan_my_week',
      title: 'Plan a week of learning',
      description: 'Spreads a course over the hours that a person has.',
      arguments: [
        { name: 'course', description: 'Slug or id of the course.', required: true },
        { name: 'hours_per_week', description: 'Hours that the person has in a week.', required: true },
      ],
    },
    needs: ['get_course'],
    text: ({ course, hours_per_week: hours }) =>
      [
        `Plan the weeks of somebody who takes the course ${quoted(course)} and has ${quoted(hours)} hours a week.`,
        'Use get_course for its length, and the tool that shows its curriculum where there is one.',
        'Name what to do in each week. Leave room for practice, and say where the lengths are estimates.',
      ].join('\n'),
  },
]

/** The prompts whose tools are there. */
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

/** What a person typed stands apart from what we say. */
const quoted = (value: string | undefined): string => JSON.stringify(value ?? '')
