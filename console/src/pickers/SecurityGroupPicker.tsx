import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { securityGroupKind, securityGroups } from '@mainstay/contract/networking/security-groups'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { PickTable } from './PickTable'

interface SecurityGroupPickerProps {
  chosen: readonly string[]
  onChoose: (group: { id: string; name: string }, isChosen: boolean) => void
}

/** Selects one or more of the project’s security groups. */
export function SecurityGroupPicker({ chosen, onChoose }: SecurityGroupPickerProps) {
  const t = useT('compute')
  const list = useList(securityGroups.list, securityGroupKind, { stateIn: 'memory', limit: CHOICE_LIMIT })
  return (
    <PickTable
      label={t('pickers.groupsMany')}
      list={list}
      chosen={chosen}
      onChoose={onChoose}
      isMultiple
      empty={t('pickers.noGroups')}
      columns={[
        { id: 'name', label: t('pickers.name'), render: ({ name }) => name },
        {
          id: 'rules',
          label: t('pickers.rules'),
          isAtEnd: true,
          render: ({ security_group_rules: rules }) => rules.length,
        },
        { id: 'description', label: t('pickers.description'), isWide: true, render: (it) => it.description || '–' },
      ]}
    />
  )
}
