import type { ReactNode } from 'react'
import { sshKeyKind, sshKeys, type SshKey } from '@mainstay/contract/compute/ssh-keys'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { shortenMiddle } from '../lib/ids'
import { Mono } from '../ui/values/Mono'
import { PickTable } from './PickTable'

export interface SshKeyPickerProps {
  chosen: string | null
  onChoose: (key: SshKey) => void
  emptyAction?: ReactNode
}

/** The user’s SSH keys in this project. */
export function SshKeyPicker({ chosen, onChoose, emptyAction }: SshKeyPickerProps) {
  const t = useT('compute')
  const list = useList(sshKeys.list, sshKeyKind, { stateIn: 'memory' })
  return (
    <PickTable
      label={t('sshKeys.many')}
      list={list}
      chosen={chosen === null ? [] : [chosen]}
      onChoose={onChoose}
      empty={t('sshKeys.empty')}
      emptyAction={emptyAction}
      columns={[
        { id: 'name', label: t('pickers.name'), render: ({ name }) => name },
        { id: 'type', label: t('pickers.keyType'), render: ({ type }) => type },
        {
          id: 'fingerprint',
          label: t('pickers.fingerprint'),
          isWide: true,
          render: ({ fingerprint }) => (
            <span title={fingerprint}>
              <Mono>{shortenMiddle(fingerprint, 24)}</Mono>
            </span>
          ),
        },
      ]}
    />
  )
}
