import { randomUUID } from 'node:crypto'
import { notFound, problem } from '@mainstay/contract/core/problems'
import { MAX_SAVED_VIEWS, savedViews, type SavedView } from '@mainstay/contract/core/lists/saved-views'
import type { Sql } from '@mainstay/engines/ports/engines'
import { serve } from '../../http/serve'
import { module } from '../../module'
import type { SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'

type Row = Omit<SavedView, 'created_at'> & { created_at: Date }
const columns = 'id, kind, name, query, created_at'
const shown = ({ created_at, ...view }: Row): SavedView => ({ ...view, created_at: created_at.toISOString() })

/** User and project that a saved view belongs to. */
const ownerOf = ({ user, project }: SignedIn) => [user.id, project?.id ?? '']

const within = <Result>({ inventory }: Tools, work: (sql: Sql) => Promise<Result>) =>
  inventory.transaction((_, __, sql) => work(sql))

const routes = serve(
  savedViews,
  {
    ofList: ({ caller, query }, tools) =>
      within(tools, async (sql) => {
        const rows = await sql.query<Row>(
          `select ${columns} from saved_view where user_id = $1 and project_id = $2 and kind = $3
            order by lower(name), name`,
          [...ownerOf(caller), query.kind],
        )
        return { data: rows.map(shown) }
      }),

    save: ({ caller, body: { kind, name, query } }, tools) =>
      tools.inventory.transaction(async (records, _, sql) => {
        const owner = ownerOf(caller)
        // serialize concurrent saves, so that the limit is never exceeded
        await records.exclusive(`saved views of ${owner.join(' ')} ${kind}`)
        const others = await sql.query(
          'select from saved_view where user_id = $1 and project_id = $2 and kind = $3 and name <> $4',
          [...owner, kind, name],
        )
        if (others.length >= MAX_SAVED_VIEWS) throw problem('core.too_many_views', { most: MAX_SAVED_VIEWS })
        const [row] = await sql.query<Row>(
          `insert into saved_view (id, user_id, project_id, kind, name, query) values ($1, $2, $3, $4, $5, $6)
            on conflict (user_id, project_id, kind, name) do update set query = excluded.query
            returning ${columns}`,
          [randomUUID(), ...owner, kind, name, JSON.stringify(query)],
        )
        return shown(row!)
      }),

    remove: ({ caller, params }, tools) =>
      within(tools, async (sql) => {
        const removed = await sql.query(
          'delete from saved_view where user_id = $1 and project_id = $2 and id = $3 returning id',
          [...ownerOf(caller), params.id],
        )
        if (removed.length === 0) throw notFound()
      }),
  },
  { about: 'saved_view' },
)

/** Saved views of lists, which belong to a user and a project. */
export const savedViewsModule = module({ routes: [routes] })
