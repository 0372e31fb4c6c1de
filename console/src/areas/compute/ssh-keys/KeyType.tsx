import type { SshKey } from '@mainstay/contract/compute/ssh-keys'
import { useT } from '../../../i18n/use-t'
import { Badge } from '../../../ui/values/Badge'
import css from './KeyType.module.css'

export const keyTypes: Readonly<Record<SshKey['type'], string>> = {
  ed25519: 'Ed25519',
  ecdsa: 'ECDSA',
  'ssh-rsa': 'RSA',
  dss: 'DSA',
}

/** The type of a key, with a word of warning where it is too weak for today. */
export function KeyType({ type, isWeak }: { type: SshKey['type']; isWeak: boolean }) {
  const t = useT('compute')
  return (
    <span className={css.type}>
      {keyTypes[type]} {isWeak && <Badge tone="warn">{t('sshKeys.weak')}</Badge>}
    </span>
  )
}
