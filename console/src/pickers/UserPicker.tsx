import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { userKind, users, type User } from '@mainstay/contract/identity/users'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { PickTable } from './PickTable'

interface UserPickerProps {
  chosen: readonly string[]
  onChoose: (user: User, isChosen: boolean) => void
  disabledBecause?: ((user: User) => string | undefined) | undefined
  /** Limits the list to users assigned to this project. */
  membersOf?: string
  domainId: string
}

/** Users in a domain. */
export function UserPicker({ membersOf, domainId: domain_id, ...props }: UserPickerProps) {
  const t = useT('identity')
  const only = membersOf === undefined ? {} : { project_id: membersOf }
  const list = useList(users.list, userKind, { params: { domain_id }, stateIn: 'memory', limit: CHOICE_LIMIT, only })
  return (
    <PickTable
      {...props}
      isMultiple
      label={t('users.title')}
      list={list}
      empty={t(membersOf === undefined ? 'projects.noUsers' : 'projects.noMembers')}
      columns={[
        { id: 'name', label: t('users.login'), render: ({ name }) => name },
        { id: 'email', label: t('users.email'), isWide: true, render: ({ email }) => email ?? '–' },
      ]}
    />
  )
}
