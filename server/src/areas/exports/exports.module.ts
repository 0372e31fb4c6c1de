import { Readable } from 'node:stream'
import { EXPORTS_AT_ONCE, exports, type ExportFormat } from '@mainstay/contract/core/lists/exports'
import type { Kind } from '@mainstay/contract/core/kind'
import { WHOLE_LIMIT, type Page } from '@mainstay/contract/core/lists/paging'
import { problem } from '@mainstay/contract/core/problems'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { CSV_MARK, csvLine } from '../../http/csv'
import { serve } from '../../http/serve'
import { module } from '../../module'
import { listedKind } from '../../session/listed-kind'

const contentTypes = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' }

/** Number of running exports per user. */
const going = new Map<string, number>()

function enter(user: string): () => void {
  const count = going.get(user) ?? 0
  if (count >= EXPORTS_AT_ONCE) throw problem('core.too_many_exports', { most: EXPORTS_AT_ONCE })
  going.set(user, count + 1)
  let isOver = false
  return () => {
    if (isOver) return
    isOver = true
    const left = going.get(user)! - 1
    if (left === 0) going.delete(user)
    else going.set(user, left)
  }
}

/** Names of the fields that the scope may read, in the order of the contract. */
const fieldsFor = ({ entity, systemOnly }: Kind, { kind }: Scope): string[] =>
  Object.keys(entity.shape).filter((name) => kind === 'system' || !systemOnly.includes(name))

/** Streams rows as a file, with only one page in memory at a time. */
async function* chunks(
  kind: Kind,
  scope: Scope,
  format: ExportFormat,
  first: Page<Entity>,
  next: (marker: string) => Promise<Page<Entity>>,
): AsyncGenerator<string> {
  const fields = fieldsFor(kind, scope)
  if (format === 'csv') yield CSV_MARK + csvLine(fields)
  let before = '['
  for (let page: Page<Entity> | null = first; page;) {
    const rows = page.data
    const marker: string | undefined = page.pages[0]?.marker
    if (rows.length > 0) {
      yield format === 'csv'
        ? rows.map((row) => csvLine(fields.map((name) => row[name]))).join('')
        : `${before}\n${rows.map((row) => JSON.stringify(row)).join(',\n')}`
      before = ','
    }
    page = marker === undefined ? null : await next(marker)
  }
  if (format === 'json') yield before === '[' ? '[]\n' : '\n]\n'
}

const exportRoutes = serve(
  exports,
  {
    async rows({ scope, caller, params, query, request }, { inventory }) {
      const kind = listedKind(params.kind, caller)
      const { format, project_id, ...asked } = query as Record<string, string> & { format: ExportFormat }
      // browsers use `project_id` to select a project (callers.ts)
      const question = scope.kind === 'project' || project_id === undefined ? asked : { ...asked, project_id }
      const list = (more: object) => inventory.list<Entity>(kind, scope, { ...question, ...more, limit: WHOLE_LIMIT })
      const leave = enter(caller.user.id)
      try {
        // read the first page before the response starts, so that an invalid query still results in an error response
        const first = await list({})
        const bytes = Readable.from(
          chunks(kind, scope, format, first, (marker) => list({ marker })),
          { objectMode: false },
        )
        bytes.once('close', leave)
        request.signal.addEventListener('abort', () => bytes.destroy(), { once: true })
        const day = new Date().toISOString().slice(0, 10)
        return { bytes, sizeBytes: null, fileName: `${kind.name}s-${day}.${format}`, contentType: contentTypes[format] }
      } catch (error) {
        leave()
        throw error
      }
    },
  },
  { about: 'export' },
)

export const exportsModule = module({ routes: [exportRoutes] })
