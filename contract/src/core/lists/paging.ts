import * as z from 'zod'

/** Default page size of list calls (S1§9). */
export const DEFAULT_LIMIT = 20
/** Page size for lists embedded in a page, such as members or events (S1§9). */
export const PART_LIMIT = 30
/** Page size for the options of a form field (S1§9). */
export const CHOICE_LIMIT = 100
/** Page size for reading all rows, for example for a file or a comparison (S1§9). */
export const WHOLE_LIMIT = 600
/** Maximum page size of list calls (S1§9). */
export const MAX_LIMIT = 1000
/** Larger counts may be estimates; see `count_estimated`. */
export const EXACT_COUNT_LIMIT = 2500

/** A switch in a query, in the spellings that clients use. */
export const Flag = z
  .union([z.boolean(), z.enum(['true', 'false', 'True', 'False', '1', '0', ''])])
  .transform((value) => value === true || value === 'true' || value === 'True' || value === '1')

/**
 * Query for every list call. Additional parameters are filters in the syntax of `filters.ts`; the error for an unknown
 * filter names it.
 */
export const PageQuery = z.looseObject({
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe('Number of rows per page.'),
  marker: z
    .string()
    .max(2048)
    .optional()
    .describe('Marker from `pages` in the previous page, or the last ID on that page.'),
  with_count: Flag.optional().describe('Whether to count all matching rows.'),
  sort: z.string().max(64).optional().describe('Sort key and order: `key`, `key:asc` or `key:desc`.'),
  search: z.string().max(255).optional().describe('Text to find in the searchable fields.'),
})
export type PageQuery = z.infer<typeof PageQuery>

/** Returns the schema for a page of a list (S1§7). The marker of the next page is in `pages`, with rel `next`. */
export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    pages: z.array(z.object({ rel: z.literal('next'), marker: z.string() })),
    count: z.number().int().optional(),
    count_estimated: z.boolean().optional(),
    /** Index revision that this response reflects. A socket that resumes from it misses no changes. */
    revision: z.number().int(),
  })
export interface Page<Item> {
  data: Item[]
  pages: { rel: 'next'; marker: string }[]
  count?: number | undefined
  count_estimated?: boolean | undefined
  revision: number
}
