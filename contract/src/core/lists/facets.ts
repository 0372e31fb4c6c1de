import * as z from 'zod'
import { endpoints } from '../endpoint'

/** Default and maximum number of values per call. */
export const FACET_LIMIT = 20
export const MOST_FACETS = 100

export const FacetQuery = z
  .looseObject({
    field: z
      .string()
      .min(1)
      .max(64)
      .describe("One of the kind's filters.")
      .meta({ examples: ['name'] }),
    prefix: z.string().max(255).optional().describe('Text that the values must start with. Not case-sensitive.'),
    limit: z.coerce.number().int().min(1).max(MOST_FACETS).default(FACET_LIMIT).describe('Maximum number of values.'),
    search: z.string().max(255).optional().describe('Text to find in the searchable fields.'),
  })
  .describe('All filters of the list are accepted as additional parameters.')
export type FacetQuery = z.output<typeof FacetQuery>

export const Facet = z.object({
  value: z.string().nullable().describe('Value as used in a filter; null for rows without a value.'),
  count: z
    .number()
    .int()
    .nullable()
    .describe('Number of matching rows with this value; null if there are too many rows to count quickly.'),
})
export type Facet = z.infer<typeof Facet>

export const Facets = z.object({
  data: z.array(Facet).describe('Values, most frequent first.'),
  has_more: z.boolean(),
})
export type Facets = z.infer<typeof Facets>

export const facets = endpoints({
  values: {
    verb: 'GET',
    path: '/api/v2/facets/:kind',
    needs: 'signed-in',
    summary:
      'List the values of a filter. Returns the values in the matching rows, with their counts. Requires permission ' +
      'to read the list.',
    query: FacetQuery,
    reply: Facets,
  },
})
