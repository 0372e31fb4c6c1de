import * as z from 'zod'
import { endpoints } from '../endpoint'

/** Values of one field that one call answers, when it does not say, and at most. */
export const FACET_LIMIT = 20
export const MOST_FACETS = 100

export const FacetQuery = z
  .looseObject({
    field: z
      .string()
      .min(1)
      .max(64)
      .describe('One of the filters of the kind')
      .meta({ examples: ['name'] }),
    prefix: z.string().max(255).optional().describe('What the values begin with, whatever the case'),
    limit: z.coerce.number().int().min(1).max(MOST_FACETS).default(FACET_LIMIT).describe('Values'),
    search: z.string().max(255).optional().describe('Text to find in any searched field'),
  })
  .describe('Filters are further parameters, as of the list')
export type FacetQuery = z.output<typeof FacetQuery>

export const Facet = z.object({
  value: z.string().nullable().describe('As a filter names it; null stands for rows that have none'),
  count: z
    .number()
    .int()
    .nullable()
    .describe('Rows that match and have it; null where there are too many rows to count in a moment'),
})
export type Facet = z.infer<typeof Facet>

export const Facets = z.object({
  data: z.array(Facet).describe('The most frequent first'),
  has_more: z.boolean(),
})
export type Facets = z.infer<typeof Facets>

export const facets = endpoints({
  values: {
    verb: 'GET',
    path: '/api/v2/facets/:kind',
    needs: 'signed-in',
    summary:
      'The values of one filter among the rows of a kind that match, with their counts; for who may read the list',
    query: FacetQuery,
    reply: Facets,
  },
})
