import { useMemo } from 'react'
import { countedIn, type CountedQuotas } from '@mainstay/contract/all-quotas'
import { useQuotas } from '../../../../patterns/use-quotas'
import { useSession } from '../../../../session/session'

/** What the present project may have and has; undefined until known, and where it may not be read. */
export function useProjectQuotas(): CountedQuotas | undefined {
  const id = useSession(({ project }) => project?.id)
  const { data } = useQuotas(id)
  return useMemo(() => data && countedIn(data), [data])
}
