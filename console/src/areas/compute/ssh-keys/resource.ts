import { sshKeyKind, sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { resource } from '../../../nav/resource'

export const sshKeyResource = resource({
  kind: sshKeyKind,
  calls: sshKeys,
  area: 'compute',
  words: 'sshKeys',
  path: 'compute/ssh-keys',
  isTyped: true,
  menu: { in: 'compute.workloads', icon: 'KeyIcon', label: 'menu.sshKeys' },
})
