import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { securityGroupKind, securityGroups } from '@mainstay/contract/networking/security-groups'
import { useList } from '../../../api/use-list'
import { useMay } from '../../../session/may'

/** Security group names, keyed by ID. */
export function useGroupNames(): ReadonlyMap<string, string> {
  const may = useMay()
  const { rows } = useList(securityGroups.list, securityGroupKind, {
    ...{ stateIn: 'memory', limit: MAX_LIMIT },
    isEnabled: may(securityGroups.list.needs),
  })
  return new Map(rows.map(({ id, name }) => [id, name]))
}
