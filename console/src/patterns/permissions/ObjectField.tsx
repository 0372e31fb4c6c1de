import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type { ExplainedCall } from '@mainstay/contract/identity/explanations'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call'
import { listKey } from '../../api/keys'
import { useT } from '../../i18n/use-t'
import { useTypedSearch } from '../../lib/use-typed-search'
import { useMay } from '../../session/may'
import { ComboBox } from '../../ui/fields/ComboBox'
import type { Choice } from '../../ui/fields/choice'

interface Thing {
  id: string
  name: string
}

interface ObjectFieldProps {
  act: ExplainedCall
  /** The project to search in; null: all projects that the user can see. */
  project: string | null
  value: Thing | null
  onChange: (thing: Thing | null) => void
}

const LEAST_OF_ID = 8

/** Field for the object of a call, selected by name from the objects that the user can see, or entered by ID. */
export function ObjectField({ act, project, value, onChange }: ObjectFieldProps) {
  const t = useT('permissions')
  const may = useMay()
  const [typed, setTyped] = useState('')
  const { search, onSearch, isAwaited } = useTypedSearch(value?.name)
  const { objects } = act
  const isListed = objects !== null && may(objects.needs)
  const query = {
    limit: String(CHOICE_LIMIT),
    ...(search && { search }),
    ...(objects?.of_project && project !== null && { project_id: `in:${project}` }),
  }
  const list: Endpoint = {
    ...{ verb: 'GET', path: (objects?.list ?? '/') as `/${string}`, needs: objects?.needs ?? 'signed-in' },
    ...{ summary: '', reply: undefined as never },
  }
  const { data, isPending, isPlaceholderData } = useQuery({
    queryKey: listKey(objects?.kind ?? '', list, {}, query),
    queryFn: ({ signal }) => call(list, { query } as never, { signal }) as Promise<{ data: Thing[] }>,
    placeholderData: keepPreviousData,
    enabled: isListed,
  })
  const found = (isListed && data?.data) || []
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
      isLoading={isListed && (isAwaited || isPending || isPlaceholderData)}
    />
  )
}
