import { sshKeyKind, sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { useGo } from '../../../nav/use-go'
import { useParam } from '../../../nav/use-param'
import { confirmDelete } from '../../../patterns/confirm-delete'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { useMay } from '../../../session/may'
import { CodeBlock } from '../../../ui/CodeBlock'
import { CopyableCode } from '../../../ui/CopyableCode'
import { DeleteIcon } from '../../../ui/icons'
import { Time } from '../../../ui/Time'
import { KeyType } from './KeyType'

export default function SshKeyPage() {
  const t = useT('compute')
  const may = useMay()
  const go = useGo()
  const id = useParam('sshKeyId')
  const key = useView(sshKeys.view, { id }, { kind: sshKeyKind })
  const toList = () => go(paths.sshKeys.list(), { keepsSearch: true })
  const remove = useCall(sshKeys.delete, { refresh: [sshKeys.list], done: toList })

  return (
    <DrawerPage
      view={key}
      what={t('sshKeys.one')}
      title={({ name }) => name}
      closeTo={paths.sshKeys.list()}
      actions={({ name }) =>
        may(sshKeys.delete.needs)
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
          : []
      }
    >
      {(it) => (
        <>
          <Facts
            rows={[
              [t('sshKeys.type'), <KeyType key="type" type={it.type} isWeak={it.weak} />],
              [t('sshKeys.fingerprint'), <CopyableCode key="fingerprint">{it.fingerprint}</CopyableCode>],
              [t('sshKeys.description'), it.description],
              [t('sshKeys.created'), <Time key="created" at={it.created_at} show="both" />],
              [t('sshKeys.id'), <CopyableCode key="id">{it.id}</CopyableCode>],
            ]}
          />
          <CodeBlock label={t('sshKeys.publicKey')}>{it.public_key}</CodeBlock>
        </>
      )}
    </DrawerPage>
  )
}
