import { sshKeyKind, sshKeys, type SshKey } from '@mainstay/contract/compute/ssh-keys'
import { useList } from '../../../api/use-list'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { copyText } from '../../../lib/copy-text'
import { paths } from '../../../nav/paths'
import { toast } from '../../../notices/notices'
import { AddLink } from '../../../patterns/AddLink'
import { columns } from '../../../patterns/columns'
import { confirmDelete } from '../../../patterns/confirm-delete'
import { Page } from '../../../patterns/Page'
import { ResourceTable } from '../../../patterns/ResourceTable'
import type { RowAction } from '../../../patterns/row-action'
import { useMay } from '../../../session/may'
import { CopyIcon, DeleteIcon } from '../../../ui/icons'
import { KeyType } from './KeyType'

const column = columns<SshKey>('compute')
const sshKeyColumns = [
  column.link('name', 'sshKeys.name', paths.sshKeys.view),
  column.node('type', 'sshKeys.type', ({ type, weak }) => <KeyType type={type} isWeak={weak} />, { width: 180 }),
  column.mono('fingerprint', 'sshKeys.fingerprint', { width: 400 }),
  column.text('description', 'sshKeys.description', { isHidden: true, width: 220 }),
  column.time('created_at', 'sshKeys.created'),
  column.project('project_id'),
]

export default function SshKeyListPage() {
  const t = useT('compute')
  const may = useMay()
  const list = useList(sshKeys.list, sshKeyKind)
  const remove = useCall(sshKeys.delete, { refresh: [sshKeys.list] })
  const add = (
    <AddLink to={paths.sshKeys.add()} needs={sshKeys.create.needs}>
      {t('sshKeys.add')}
    </AddLink>
  )

  const actions = ({ id, name, public_key }: SshKey): RowAction[] => [
    {
      label: t('sshKeys.copy'),
      icon: CopyIcon,
      isLikely: true,
      run: () => void copyText(public_key).then((isCopied) => isCopied && toast(t('sshKeys.copied', { name }))),
    },
    ...(may(sshKeys.delete.needs)
      ? [
          {
            label: t('delete'),
            icon: DeleteIcon,
            isDanger: true,
            run: () =>
              void confirmDelete({
                what: t('sshKeys.one'),
                name,
                text: t('sshKeys.deleteNote'),
                run: (signal) => remove.run({ params: { id } }, { signal }),
              }),
          },
        ]
      : []),
  ]

  return (
    <Page title={t('sshKeys.title')} actions={add} isFilled>
      <ResourceTable
        list={list}
        label={t('sshKeys.title')}
        columns={sshKeyColumns}
        actions={actions}
        filters={[
          { name: 'name', label: t('sshKeys.name') },
          {
            name: 'type',
            label: t('sshKeys.type'),
            options: [
              { value: 'ed25519', label: 'Ed25519' },
              { value: 'ecdsa', label: 'ECDSA' },
              { value: 'ssh-rsa', label: 'RSA' },
              { value: 'dss', label: 'DSA' },
            ],
          },
        ]}
        bulk={
          may(sshKeys.delete.needs)
            ? [
                {
                  label: t('delete'),
                  icon: DeleteIcon,
                  isDanger: true,
                  ask: (count) => t('sshKeys.deleteMany', { count }),
                  note: t('sshKeys.deleteNote'),
                  verb: (count) => t('sshKeys.deleteManyVerb', { count }),
                  done: (count) => t('sshKeys.deleted', { count }),
                  run: ({ id }, signal) => remove.run({ params: { id } }, { signal }),
                },
              ]
            : []
        }
        empty={t('sshKeys.empty')}
        emptyAction={add}
      />
    </Page>
  )
}
