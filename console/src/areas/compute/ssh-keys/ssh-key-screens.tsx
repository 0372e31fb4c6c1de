import type { SshKey } from '@mainstay/contract/compute/ssh-keys'
import { useT } from '../../../i18n/use-t'
import { copyText } from '../../../lib/copy-text'
import { toast } from '../../../notices/notices'
import { columns } from '../../../patterns/table/columns'
import { screens } from '../../../patterns/resource/screens'
import { CodeBlock } from '../../../ui/values/CodeBlock'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { CopyIcon } from '../../../ui/icons'
import { sshKeyResource } from './resource'
import { Badge } from '../../../ui/values/Badge'
import css from './ssh-key-screens.module.css'

const keyTypes: Readonly<Record<SshKey['type'], string>> = {
  ed25519: 'Ed25519',
  ecdsa: 'ECDSA',
  'ssh-rsa': 'RSA',
  dss: 'DSA',
}

/** A key's type, with a warning if it is weak by current standards. */
function KeyType({ type, isWeak }: { type: SshKey['type']; isWeak: boolean }) {
  const t = useT('compute')
  return (
    <span className={css.type}>
      {keyTypes[type]} {isWeak && <Badge tone="warn">{t('sshKeys.weak')}</Badge>}
    </span>
  )
}

const column = columns<SshKey>('compute')

export default screens(sshKeyResource, {
  columns: [
    column.link('name', 'sshKeys.name', sshKeyResource.paths.view),
    column.node('type', 'sshKeys.type', ({ type, weak }) => <KeyType type={type} isWeak={weak} />, {
      width: 180,
      card: 'plain',
    }),
    column.mono('fingerprint', 'sshKeys.fingerprint', { width: 400 }),
    column.text('description', 'sshKeys.description', { isHidden: true, width: 220 }),
    column.created('created_at'),
    column.project('project_id'),
  ],
  filters: () => [
    'name',
    { name: 'type', options: Object.entries(keyTypes).map(([value, label]) => ({ value, label })) },
  ],
  useActions: useCopy,
  deleteNote: 'sshKeys.deleteNote',
  facts: ({ type, weak, fingerprint, description }, t) => [
    [t('sshKeys.type'), <KeyType key="type" type={type} isWeak={weak} />],
    [t('sshKeys.fingerprint'), <CopyableCode key="fingerprint">{fingerprint}</CopyableCode>],
    [t('sshKeys.description'), description],
  ],
  Below: PublicKey,
  form: null,
})

function useCopy() {
  const t = useT('compute')
  return ({ name, public_key: text }: SshKey) => [
    {
      label: t('sshKeys.copy'),
      icon: CopyIcon,
      isLikely: true,
      run: () => void copyText(text).then((isCopied) => isCopied && toast(t('sshKeys.copied', { name }))),
    },
  ]
}

function PublicKey({ item }: { item: SshKey }) {
  const t = useT('compute')
  return <CodeBlock label={t('sshKeys.publicKey')}>{item.public_key}</CodeBlock>
}
