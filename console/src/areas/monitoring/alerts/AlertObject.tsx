import type { Alert } from '@mainstay/contract/monitoring/alerts'
import { viewPath } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'

type AlertObjectProps = { alert: Pick<Alert, 'object_kind' | 'object_id' | 'object_name'>; tabIndex?: 0 | -1 }

/** The name of the object that an alert is about, linked to the object's page if it has one. */
export function AlertObject({ alert, tabIndex = 0 }: AlertObjectProps) {
  const { object_kind, object_id, object_name } = alert
  const page = viewPath(object_kind, object_id)
  if (!page) return <bdi>{object_name}</bdi>
  return (
    <Link to={page} tabIndex={tabIndex}>
      <bdi>{object_name}</bdi>
    </Link>
  )
}
