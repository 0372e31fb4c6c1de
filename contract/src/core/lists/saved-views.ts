import { says } from '../said'
import * as z from 'zod'
import { endpoints } from '../endpoint'
import { ShortName, Time } from '../names'

/** Maximum number of saved views per user, list and project. */
export const MAX_SAVED_VIEWS = 50

const Kind = z.string().min(1).max(64).describe('Kind of the list, for example `server` or `volume`.')

/** Saved filters, sort order, search and grouping of a list. Belongs to one user in one project. */
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
        'Filters, `sort` and `search` of the list call; `groupBy` is the filter by which the console groups the rows.',
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
    summary: 'List saved views. Returns your views of one list in the current project.',
    query: z.strictObject({ kind: Kind }),
    reply: z.object({ data: z.array(SavedView) }),
  },
  save: {
    verb: 'POST',
    path,
    needs: 'signed-in',
    summary: 'Save a view of a list. Replaces your view of the same name.',
    body: SavedViewDraft,
    status: 201,
    reply: SavedView,
  },
  remove: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: 'signed-in',
    summary: 'Delete a saved view',
    reply: z.void(),
  },
})
