import { says } from '../said'
import * as z from 'zod'
import { endpoints } from '../endpoint'
import { ShortName, Time } from '../names'

/** The most views that one person keeps of one list in one project. */
export const MAX_SAVED_VIEWS = 50

const Kind = z.string().min(1).max(64).describe('Kind of the list: `server`, `volume`')

/** Filters, order, search and grouping of a list under a name: of one person, in one project. */
export const SavedView = z.object({
  id: z.string(),
  kind: Kind,
  name: z.string(),
  query: z.record(z.string(), z.string()),
  created_at: Time,
})
export type SavedView = z.infer<typeof SavedView>

export const SavedViewDraft = z
  .strictObject({
    kind: Kind,
    name: ShortName,
    query: z
      .record(z.string().max(64), z.string().max(2048))
      .refine((query) => Object.keys(query).length <= 40, says('core.too_many_parameters', { most: 40 }))
      .describe(
        'Filters, `sort` and `search`, as the list takes them; `groupBy`: the filter by whose values the console groups',
      ),
  })
  .meta({ examples: [{ kind: 'server', name: 'Running', query: { status: 'in:ACTIVE', sort: 'name:asc' } }] })
export type SavedViewDraft = z.infer<typeof SavedViewDraft>

const path = '/api/v2/account/views'

export const savedViews = endpoints({
  ofList: {
    verb: 'GET',
    path,
    needs: 'signed-in',
    summary: "The caller's views of a list, in the project that they act in",
    query: z.strictObject({ kind: Kind }),
    reply: z.object({ data: z.array(SavedView) }),
  },
  save: {
    verb: 'POST',
    path,
    needs: 'signed-in',
    summary: 'Keep a view of a list; one of the same name is replaced',
    body: SavedViewDraft,
    status: 201,
    reply: SavedView,
  },
  remove: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: 'signed-in',
    summary: 'Forget a view',
    reply: z.void(),
  },
})
