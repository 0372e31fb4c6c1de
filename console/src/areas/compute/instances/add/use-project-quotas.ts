import { useMemo } from 'react'
import { countedIn, type CountedQuotas } from '@mainstay/contract/all-quotas'
import { useQuotas } from '../../../../patterns/use-quotas'
import { useSession } from '../../../../session/session'

/** Limits and usage of the current project. Undefined until known, or if the user may not read them. */
export function useProjectQuotas(): CountedQuotas | undefined {
  const id = useSession(({ project }) => project?.id)
  const { data } = useQuotas(id)
  return useMemo(() => data && countedIn(data), [data])
}
