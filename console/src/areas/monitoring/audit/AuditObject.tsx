import type { AuditLine } from '@mainstay/contract/monitoring/audit-lines'
import { viewPath } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'

interface AuditObjectProps {
  line: Pick<AuditLine, 'type' | 'activity' | 'object_id' | 'object_name' | 'result'>
  tabIndex?: 0 | -1
}

/** The object that an entry is about, linked to its page unless it was deleted. */
export function AuditObject({ line, tabIndex = 0 }: AuditObjectProps) {
  const { type, activity, object_id: id, object_name: name, result } = line
  const shown = name ?? id
  if (shown === null) return '–'
  const isGone = activity.endsWith('.delete') && result === 'success'
  const page = id === null || isGone ? undefined : viewPath(type, id)
  if (!page) return <bdi>{shown}</bdi>
  return (
    <Link to={page} tabIndex={tabIndex}>
      {shown}
    </Link>
  )
}
