import { useState } from 'react'
import { instanceCan } from '@mainstay/contract/compute/instance-rules'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { useTypedSearch } from '../../../lib/use-typed-search'
import { useBound } from '../../../patterns/form/use-bound'
import { ComboBox } from '../../../ui/fields/ComboBox'
import { InstanceIcon } from '../../../ui/icons'

/** Picker for virtual machines in the project whose state allows attaching volumes. */
export function InstanceChoice({ label, projectId }: { label: string; projectId: string }) {
  const t = useT('storage')
  const bound = useBound<string | null>('server_id')
  const [chosen, setChosen] = useState<{ id: string; name: string }>()
  const { search, onSearch, isAwaited } = useTypedSearch(chosen?.name)
  const { rows, isLoading, isChanging } = useList(instances.list, instanceKind, {
    only: { status: 'in:ACTIVE,PAUSED,SHUTOFF', project_id: projectId, ...(search && { search }) },
    stateIn: 'memory',
    limit: CHOICE_LIMIT,
  })
  const texts = { ACTIVE: t('volumes.vm.active'), PAUSED: t('volumes.vm.paused'), SHUTOFF: t('volumes.vm.shutOff') }
  const items = rows.map((instance) => ({
    id: instance.id,
    label: instance.name,
    icon: InstanceIcon,
    end: texts[instance.status as keyof typeof texts],
    ...(!instanceCan('attachVolume', instance) && { disabledBecause: t('volumes.vm.busy') }),
  }))
  const isMissing = chosen && !rows.some(({ id }) => id === chosen.id)

  return (
    <ComboBox
      {...bound}
      label={label}
      help={t('volumes.vm.help')}
      placeholder={t('volumes.vm.search')}
      autoFocus
      onChange={(id) => {
        setChosen(rows.find((instance) => instance.id === id))
        bound.onChange(id)
      }}
      onSearch={onSearch}
      isLoading={isAwaited || isLoading || isChanging}
      items={isMissing ? [{ id: chosen.id, label: chosen.name }, ...items] : items}
    />
  )
}
