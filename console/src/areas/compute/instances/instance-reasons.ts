import {
  hasVgpu,
  instanceCan,
  instanceInProgress,
  isNodeGone,
  wantsHardReboot,
  type InstanceAction,
} from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { Key } from '../../../i18n/catalogues'
import type { Translate } from '../../../i18n/use-t'
import { shownStatus } from './instance-status'

/** Describes the state that each action requires. */
const asks: Readonly<Record<InstanceAction, Key<'instances'>>> = {
  start: 'instances.why.start',
  shutDown: 'instances.why.running',
  powerOff: 'instances.why.powered',
  cancelShutdown: 'instances.why.shuttingDown',
  reboot: 'instances.why.active',
  hardReboot: 'instances.why.hardReboot',
  suspend: 'instances.why.active',
  resume: 'instances.why.suspended',
  pause: 'instances.why.active',
  unpause: 'instances.why.paused',
  shelve: 'instances.why.steady',
  unshelve: 'instances.why.shelved',
  rescue: 'instances.why.rescue',
  unrescue: 'instances.why.inRescue',
  resize: 'instances.why.start',
  resizeWithRestart: 'instances.why.active',
  attachVolume: 'instances.why.hardware',
  detachVolume: 'instances.why.hardware',
  attachInterface: 'instances.why.hardware',
  detachInterface: 'instances.why.hardware',
  resizeDisk: 'instances.why.hardware',
  console: 'instances.why.console',
  setPassword: 'instances.why.active',
  migrate: 'instances.why.migrate',
  evacuate: 'instances.why.evacuate',
  stopMigration: 'instances.why.migrating',
  rename: 'instances.why.stable',
  editMetadata: 'instances.why.steady',
  resetState: 'instances.why.stable',
  delete: 'instances.why.stable',
}

/**
 * The reason why an action is not possible at the moment, or undefined if it is. The rule itself is defined in the
 * contract.
 */
export function whyNot(action: InstanceAction, instance: Instance, t: Translate<'instances'>): string | undefined {
  if (instanceCan(action, instance)) return undefined
  const state = t(shownStatus(instance).text)
  if (action !== 'console' && instanceInProgress(instance)) return t('instances.why.busy', { state })
  return t(whatItHas(action, instance) ?? asks[action], { state })
}

/** Returns a reason that depends on properties of the instance rather than on its state. */
function whatItHas(action: InstanceAction, instance: Instance): Key<'instances'> | undefined {
  if (wantsHardReboot(action, instance)) return 'instances.why.hardRebootFirst'
  if (instance.status !== 'ACTIVE') return undefined
  if (action === 'resize') return 'instances.why.resize'
  if (action === 'setPassword' && !instance.allow_set_password) return 'instances.why.noAgent'
  if (action !== 'migrate' || isNodeGone(instance)) return undefined
  if (instance.has_pci_devices) return 'instances.why.pci'
  return hasVgpu(instance) ? 'instances.why.vgpu' : undefined
}

/**
 * The reason why the flavor cannot be changed at the moment, either live or with a restart. `canRestart`: whether the
 * engine can resize with a restart.
 */
export const whyNoFlavor = (instance: Instance, canRestart: boolean, t: Translate<'instances'>): string | undefined =>
  canRestart && instanceCan('resizeWithRestart', instance) ? undefined : whyNot('resize', instance, t)
