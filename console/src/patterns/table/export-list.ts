import { fillPath } from '@mainstay/contract/core/endpoint'
import { exports, type ExportFormat } from '@mainstay/contract/core/lists/exports'
import { addressOf } from '../../api/address'
import { downloadFrom } from '../../api/transfers/download'
import type { List } from '../../api/use-list'
import { isAllTenants, sessionNow } from '../../session/session'

/**
 * Downloads all matching rows as a file. The request uses the session cookie, which does not identify the project, so
 * the project is a parameter.
 */
export function exportList({ kind, question }: Pick<List, 'kind' | 'question'>, format: ExportFormat) {
  const session = sessionNow()
  const project_id = isAllTenants(session) ? undefined : session.project?.id
  downloadFrom(addressOf(fillPath(exports.rows.path, { kind: kind.name }), { ...question, project_id, format }))
}
