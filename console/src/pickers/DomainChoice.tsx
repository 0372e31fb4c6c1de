import { useState } from 'react'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { domainKind, domains } from '@mainstay/contract/identity/domains'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { useTypedSearch } from '../lib/use-typed-search'
import { useBound } from '../patterns/form/use-bound'
import { ComboBox } from '../ui/fields/ComboBox'
import { DomainIcon } from '../ui/icons'

/** Lets operators choose the domain in which an object is created. */
export function DomainChoice({ name }: { name: string }) {
  const t = useT('identity')
  const bound = useBound<string | null>(name)
  const [chosen, setChosen] = useState<{ id: string; name: string }>()
  const { search, onSearch, isAwaited } = useTypedSearch(chosen?.name)
  const { rows, isLoading, isChanging } = useList(domains.list, domainKind, {
    ...(search && { only: { search } }),
    stateIn: 'memory',
    limit: CHOICE_LIMIT,
  })
  const items = rows.map((domain) => ({ id: domain.id, label: domain.name, icon: DomainIcon }))
  const isMissing = chosen && !rows.some(({ id }) => id === chosen.id)
  return (
    <ComboBox
      {...bound}
      label={t('domains.one')}
      onChange={(id) => {
        setChosen(rows.find((domain) => domain.id === id))
        bound.onChange(id)
      }}
      onSearch={onSearch}
      isLoading={isAwaited || isLoading || isChanging}
      items={isMissing ? [{ id: chosen.id, label: chosen.name }, ...items] : items}
    />
  )
}
