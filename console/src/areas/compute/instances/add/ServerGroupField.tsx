import { serverGroupKind, serverGroups } from '@mainstay/contract/compute/server-groups'
import { useList } from '../../../../api/use-list'
import { useT } from '../../../../i18n/use-t'
import { useBound } from '../../../../patterns/form/use-bound'
import { useMay } from '../../../../session/may'
import { Select } from '../../../../ui/fields/Select'
import { policyWords } from '../../server-groups/policy-words'

const none = 'none'
const most = 200

/** In which group to be; not shown where there is none. */
export function ServerGroupField() {
  const t = useT('instance')
  const policies = useT('compute')
  const may = useMay()
  const { rows } = useList(serverGroups.list, serverGroupKind, {
    stateIn: 'memory',
    limit: most,
    isEnabled: may(serverGroups.list.needs),
  })
  const { value, onChange, ...field } = useBound<string | null>('server_group')
  if (rows.length === 0) return null
  return (
    <Select
      {...field}
      label={t('instances.serverGroup')}
      help={t('instances.add.serverGroupHelp')}
      value={value ?? none}
      onChange={(id) => onChange(id === none ? null : id)}
      items={[
        { id: none, label: t('instances.add.noServerGroup') },
        ...rows.map(({ id, name, policy }) => ({ id, label: name, description: policies(policyWords[policy].label) })),
      ]}
    />
  )
}
