import { useMemo } from 'react'
import { countedIn, type CountedQuotas } from '@mainstay/contract/all-quotas'
import { useQuotas } from '../../../../patterns/use-quotas'
import { useSession } from '../../../../session/session'

/** Quota limits and usage of the current project. Undefined while loading, or if the user may not read them. */
export function useProjectQuotas(): CountedQuotas | undefined {
  const id = useSession(({ project }) => project?.id)
  const { data } = useQuotas(id)
  return useMemo(() => data && countedIn(data), [data])
}
