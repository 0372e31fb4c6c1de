import { sshKeyKind, sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { resource } from '../../../nav/resource'
import { KeyIcon } from '../../../ui/icons'

export const sshKeyResource = resource({
  kind: sshKeyKind,
  calls: sshKeys,
  area: 'compute',
  words: 'sshKeys',
  path: 'compute/ssh-keys',
  menu: { group: 'compute', icon: KeyIcon, label: 'menu.sshKeys' },
})
