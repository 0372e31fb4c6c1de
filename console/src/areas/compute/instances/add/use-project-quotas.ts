import { useMemo } from 'react'
import { countedIn, quotas, type CountedQuotas } from '@mainstay/contract/compute/quotas'
import { useView } from '../../../../api/use-view'
import { useMay } from '../../../../session/may'
import { useSession } from '../../../../session/session'

const withUsage = { usage: 'true' }

/** What the present project may have and has; undefined until known, and where it may not be read. */
export function useProjectQuotas(): CountedQuotas | undefined {
  const may = useMay()
  const id = useSession(({ project }) => project?.id)
  const { data } = useView(
    quotas.view,
    { project_id: id ?? '-' },
    { query: withUsage, isEnabled: id !== undefined && may(quotas.view.needs) },
  )
  return useMemo(() => data && countedIn(data), [data])
}
