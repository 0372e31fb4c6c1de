import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { storagePolicies, storagePolicyKind } from '@mainstay/contract/storage/storage-policies'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Select } from '../../../patterns/form/form-fields'
import { useMay } from '../../../session/may'

/** Picker for the storage policy of a restored volume. `own`: the policy of the original; empty if it is not known. */
export function PolicyChoice({ own }: { own: string }) {
  const t = useT('storage')
  const may = useMay()
  const { rows } = useList(storagePolicies.list, storagePolicyKind, {
    stateIn: 'memory',
    limit: CHOICE_LIMIT,
    isEnabled: may(storagePolicies.list.needs),
  })
  const names = new Set([own, ...rows.map(({ name }) => name)].filter((name) => name !== ''))
  return (
    <Select
      name="storage_policy"
      label={t('volumes.policy')}
      placeholder={t('backups.policyOfOriginal')}
      items={[...names].map((name) => ({ id: name, label: name }))}
    />
  )
}
