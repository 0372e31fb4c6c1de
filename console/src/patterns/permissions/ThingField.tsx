import { CHOICE_LIMIT } from '@mainstay/contract/core/paging'
import { useState } from 'react'
import { useList } from '../../api/use-list'
import { useT } from '../../i18n/use-t'
import { useTypedSearch } from '../../lib/use-typed-search'
import { useMay } from '../../session/may'
import { ComboBox } from '../../ui/fields/ComboBox'
import type { Choice } from '../../ui/fields/choice'
import type { Act } from './acts'
import { thingsOf } from './things'

interface Thing {
  id: string
  name: string
}

interface ThingFieldProps {
  act: Act
  /** Where it is looked for; null: wherever one acts. */
  project: string | null
  value: Thing | null
  onChange: (thing: Thing | null) => void
}

const LEAST_OF_ID = 8

/** The object of an act: one that one sees, found by its name, or any by its id. */
export function ThingField({ act, project, value, onChange }: ThingFieldProps) {
  const t = useT('permissions')
  const may = useMay()
  const { list, kind } = thingsOf(act)!
  const [typed, setTyped] = useState('')
  const { search, onSearch, isAwaited } = useTypedSearch(value?.name)
  const isOfProjects = 'project_id' in kind.filters
  const isListed = may(list.needs)
  const { rows, isLoading, isChanging } = useList(list, kind, {
    only: { ...(search && { search }), ...(isOfProjects && project !== null && { project_id: `in:${project}` }) },
    stateIn: 'memory',
    limit: CHOICE_LIMIT,
    isEnabled: isListed,
  })
  const found = (isListed ? rows : []) as readonly Thing[]
  const known = value && !found.some(({ id }) => id === value.id) ? [value, ...found] : found
  const id = typed.trim()
  const isId = id.length >= LEAST_OF_ID && id !== value?.name && !known.some((thing) => thing.id === id)
  const items: Choice<string>[] = [
    ...known.map((thing) => ({ id: thing.id, label: thing.name || thing.id })),
    ...(isId && found.length === 0 && !isAwaited ? [{ id, label: id, description: t('object.byId') }] : []),
  ]
  return (
    <ComboBox
      label={t('object')}
      placeholder={t('object.any')}
      help={t('object.help')}
      items={items}
      value={value?.id ?? null}
      onChange={(chosen) => {
        const item = items.find((one) => one.id === chosen)
        onChange(item ? { id: item.id, name: item.label } : null)
      }}
      onSearch={(text) => {
        setTyped(text)
        onSearch(text)
      }}
      isLoading={isListed && (isAwaited || isLoading || isChanging)}
    />
  )
}
