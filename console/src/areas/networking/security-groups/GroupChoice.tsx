import { useState } from 'react'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { securityGroupKind, securityGroups } from '@mainstay/contract/networking/security-groups'
import { useList } from '../../../api/use-list'
import { useTypedSearch } from '../../../lib/use-typed-search'
import { useBound } from '../../../patterns/form/use-bound'
import { ComboBox } from '../../../ui/fields/ComboBox'
import { SecurityIcon } from '../../../ui/icons'

/** Form field for selecting a security group, with search. */
export function GroupChoice({ name, label }: { name: string; label: string }) {
  const bound = useBound<string | null>(name)
  const [chosen, setChosen] = useState<{ id: string; name: string }>()
  const { search, onSearch, isAwaited } = useTypedSearch(chosen?.name)
  const { rows, isLoading, isChanging } = useList(securityGroups.list, securityGroupKind, {
    ...(search && { only: { search } }),
    ...{ stateIn: 'memory', limit: CHOICE_LIMIT },
  })
  const items = rows.map((it) => ({ id: it.id, label: it.name, icon: SecurityIcon }))
  const isMissing = chosen && !rows.some(({ id }) => id === chosen.id)
  return (
    <ComboBox
      {...bound}
      label={label}
      onChange={(id) => {
        setChosen(rows.find((it) => it.id === id))
        bound.onChange(id)
      }}
      onSearch={onSearch}
      isLoading={isAwaited || isLoading || isChanging}
      items={isMissing ? [{ id: chosen.id, label: chosen.name }, ...items] : items}
    />
  )
}
