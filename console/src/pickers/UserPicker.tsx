import { userKind, users, type User } from '@mainstay/contract/identity/users'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { PickTable } from './PickTable'

interface UserPickerProps {
  chosen: readonly string[]
  onChoose: (user: User, isChosen: boolean) => void
  disabledBecause?: ((user: User) => string | undefined) | undefined
  /** Only those who are assigned to this project. */
  membersOf?: string
}

/** Users of the domain that one acts in. */
export function UserPicker({ membersOf, ...props }: UserPickerProps) {
  const t = useT('identity')
  const only = membersOf === undefined ? {} : { project_id: membersOf }
  const list = useList(users.list, userKind, { stateIn: 'memory', limit: 50, only })
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
