import { z } from 'zod'
import type { Resource } from '../declare/resource.ts'
import type { Values } from '../declare/values.ts'

const bulkSummary = z
  .object({
    total: z.int().meta({ description: 'Number of items.', example: 2 }),
    succeeded: z.int().meta({ description: 'Number of items that succeeded.', example: 1 }),
    failed: z.int().meta({ description: 'Number of items that failed.', example: 1 }),
  })
  .meta({ description: 'Numbers of items.', example: { total: 2, succeeded: 1, failed: 1 }, component: 'BulkSummary' })

export const isUnchanged = ({ summary }: Values): boolean => bulkSummary.parse(summary).succeeded === 0

const plain = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])

export const itemsOutput = ({ idPrefix, object }: Pick<Resource, 'idPrefix' | 'object'>) =>
  z.object({
    results: z
      .array(
        z.object({
          index: z.int().meta({ description: 'Position of the item in the request, from 0.', example: 0 }),
          row: z.int().optional().meta({ description: 'Row of a CSV file, as spreadsheets number them: the header is row 1.', example: 2 }),
          key: z.string().optional().meta({
            description: 'What the item has sent to name its object: the e-mail address, or another key.',
            example: 'ana@example.org',
          }),
          status: z.int().meta({ description: 'Status that a single request would have returned.', example: 201 }),
          id: z
            .string()
            .optional()
            .meta({ description: `Id of the ${object.replaceAll('_', ' ')}.`, example: `${idPrefix}_01jgwejj00e6srgkpqm2sqf05m` }),
          error: z
            .object({
              error: z.string().meta({ description: 'Error code.', example: 'email_taken' }),
              error_description: z
                .string()
                .meta({ description: 'The error and its fix, for people.', example: 'This e-mail address is already in use.' }),
              details: z
                .array(
                  z.object({
                    field: z.string().optional().meta({ description: 'Path of the field, with dots.', example: 'email' }),
                    code: z.string().meta({ description: 'Code of the rule that it breaks.', example: 'format' }),
                    message: z.string().meta({ description: 'The rule and the fix, for people.', example: 'email: must be an address' }),
                    meta: z
                      .record(z.string(), plain)
                      .optional()
                      .meta({ description: 'Values of the rule, such as the minimum or the allowed values.', example: {} }),
                  }),
                )
                .optional()
                .meta({ description: 'Every invalid field of the item.', example: [] }),
            })
            .optional()
            .meta({ description: 'The error, if the item failed.', example: {} }),
        }),
      )
      .meta({ description: 'The result of each item, in order.', example: [] }),
    summary: bulkSummary,
  })
